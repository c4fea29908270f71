"""Scripts by which shells complete commands, options, their values and metrics: written from the index alone."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from irassay.cli.parser import SWITCHES
from irassay.declarations import index
from irassay.method import method
from irassay.settings import Option

COMMON_METRICS = ("nDCG@10", "P@10", "RR@10", "Judged@10")  # the names with a cutoff that are typed most
METRIC_FLAGS = ("metrics", "simple", "main")  # options that name metrics


@method(
    "Print a shell completion script.",
    path="completion",
    without_options="jobs quiet define",
    examples=(
        "irassay completion bash > ~/.local/share/bash-completion/completions/irassay",
        'irassay completion zsh > "${fpath[1]}/_irassay"',
        "irassay completion fish > ~/.config/fish/completions/irassay.fish",
    ),
)
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Option("The shell.", metavar="SHELL")],
) -> str:
    """Print the script by which a shell completes commands, options, their values and metrics.

    Put it where the shell looks for such scripts, as below, and open a new shell.
    """
    commands, metrics = dict(index()["commands"]), " ".join([*index()["metrics"], *COMMON_METRICS])
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands, metrics)


def _plain(text: str) -> str:
    """A sentence that may stand between single quotes."""
    return text.replace("'", "’").replace("\\", "").replace(":", " -")


def _first_words(commands: Mapping[str, Any]) -> dict[str, str]:
    """What may come first, and a line on each."""
    single = {name: entry["question"] for name, entry in commands.items() if " " not in name}
    return single | {"meta": "Test metrics: what each is good for.", "help": "Say what a command takes."}


def _second_words(commands: Mapping[str, Any]) -> dict[str, str]:
    return {name.split()[1]: entry["question"] for name, entry in commands.items() if name.startswith("meta ")}


def _option_sentences(entry: Mapping[str, Any]) -> dict[str, str]:
    """The options of a command with a sentence each."""
    known = {flag: argument["help"] for argument in entry["arguments"] for flag in argument.get("flags", ())}
    return known | {"--help": "Show this."}


def _value_words(argument: Mapping[str, Any]) -> str:
    """The words that an argument may be: '$metrics' for metrics, '' for anything."""
    return "$metrics" if argument["name"] in METRIC_FLAGS else " ".join(argument.get("choices", ()))


def _option_cases(commands: Mapping[str, Any]) -> dict[str, str]:
    """The words that may follow -> every `command:option` that they may follow."""
    found: dict[str, list[str]] = {}
    for name, entry in commands.items():
        for argument in entry["arguments"]:
            flags = argument.get("flags", ()) if argument["kind"] not in SWITCHES else ()
            found.setdefault(_value_words(argument), []).extend(f'"{name}:{flag}"' for flag in flags)
    return {words: "|".join(cases) for words, cases in found.items() if cases}


def _place_cases(commands: Mapping[str, Any]) -> dict[str, list[str]]:
    """The words that may be given by place, choices or metrics -> the commands that take them."""
    found: dict[str, list[str]] = {}
    for name, entry in commands.items():
        words = " ".join(w for a in entry["arguments"] if not a.get("flags") for w in a.get("choices", ()))
        if words or name == "explain":
            found.setdefault(words or "$metrics", []).append(name)
    return found


BASH = """# irassay's words in bash
_irassay() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="" word i
  local metrics='{metrics}'
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    if [[ $word == help && -z $command ]]; then continue; fi
    if [[ -z $command || $command == meta ]]; then command="${{command:+$command }}$word"; fi
  done
  case "$command" in
    "") COMPREPLY=($(compgen -W '{first}' -- "$cur")); return ;;
    meta) COMPREPLY=($(compgen -W '{second}' -- "$cur")); return ;;
  esac
  case "$command:$prev" in
{values}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
{options}
    esac
    return
  fi
  case "$command" in
{places}
  esac
}}
complete -o default -F _irassay irassay
"""


def _bash(commands: Mapping[str, Any], metrics: str) -> str:
    def reply(words: str) -> str:
        quoted = '"$metrics"' if words == "$metrics" else f"'{words}'"
        return f'COMPREPLY=($(compgen -W {quoted} -- "$cur"))'

    values = [
        f"{cases}) {f'{reply(words)}; ' if words else ''}return" for words, cases in _option_cases(commands).items()
    ]
    options = [f'"{name}") {reply(" ".join(_option_sentences(entry)))}' for name, entry in commands.items()]
    first, second = " ".join(_first_words(commands)), " ".join(_second_words(commands))
    return BASH.format(metrics=metrics, first=first, second=second, **_cases(values, options, commands, reply))


def _cases(
    values: list[str], options: list[str], commands: Mapping[str, Any], reply: Callable[[str], str]
) -> dict[str, str]:
    """The lines of the three `case` commands that bash and zsh share."""
    quoted = {words: "|".join(f'"{name}"' for name in names) for words, names in _place_cases(commands).items()}
    places = [f"{names}) {reply(words)}" for words, names in quoted.items()]
    return {
        "values": "\n".join(f"    {line} ;;" for line in values),
        "options": "\n".join(f"      {line} ;;" for line in options),
        "places": "\n".join(f"    {line} ;;" for line in places),
    }


ZSH = """#compdef irassay
# irassay's words in zsh
_irassay() {{
  local cur="${{words[CURRENT]}}" prev="${{words[CURRENT-1]}}" command="" word i
  local -a metrics found
  metrics=({metrics})
  if [[ $cur == --*=* ]]; then prev="${{cur%%=*}}"; compset -P '*='; fi
  for ((i = 2; i < CURRENT; i++)); do
    word="${{words[i]}}"
    if [[ $word == help && -z $command ]]; then continue; fi
    if [[ -z $command || $command == meta ]]; then command="${{command:+$command }}$word"; fi
  done
  case "$command" in
    "") found=({first}); _describe command found; return ;;
    meta) found=({second}); _describe method found; return ;;
  esac
  case "$command:$prev" in
{values}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
{options}
    esac
    _describe -o option found
    return
  fi
  case "$command" in
{places}
  esac
  _files
}}
if [[ $funcstack[1] == _irassay ]]; then _irassay "$@"; else compdef _irassay irassay; fi
"""


def _zsh(commands: Mapping[str, Any], metrics: str) -> str:
    def reply(words: str) -> str:
        return "compadd -a metrics" if words == "$metrics" else f"compadd -- {words}"

    def described(lines: Mapping[str, str]) -> str:
        return " ".join(f"'{name}:{_plain(sentence)}'" for name, sentence in lines.items())

    cases = _option_cases(commands).items()
    values = [f"{flags}) {reply(words) if words else '_files'}; return" for words, flags in cases]
    options = [f'"{name}") found=({described(_option_sentences(entry))})' for name, entry in commands.items()]
    first, second = described(_first_words(commands)), described(_second_words(commands))
    return ZSH.format(metrics=metrics, first=first, second=second, **_cases(values, options, commands, reply))


FISH = """# irassay's words in fish
function __irassay_at
  set -l found
  for word in (commandline -opc)[2..]
    test "$word" = help; and test -z "$found"; and continue
    if test -z "$found"; or test "$found" = meta
      set found (string trim "$found $word")
    end
  end
  test "$found" = "$argv"
end
set -g __irassay_metrics {metrics}
"""


def _fish(commands: Mapping[str, Any], metrics: str) -> str:
    def offered(words: str) -> str:
        return '"$__irassay_metrics"' if words == "$metrics" else f"'{words}'"

    lines = [
        f"complete -c irassay -f -n '__irassay_at \"{at}\"' -a {name} -d '{_plain(sentence)}'"
        for at, group in (("", _first_words(commands)), ("meta", _second_words(commands)))
        for name, sentence in group.items()
    ]
    for name, entry in commands.items():
        for argument in (each for each in entry["arguments"] if each.get("flags")):
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in argument["flags"]
            )
            words = _value_words(argument)
            takes = "" if argument["kind"] in SWITCHES else f" -x -a {offered(words)}" if words else " -r"
            at = f"complete -c irassay -n '__irassay_at {name}' {flags}{takes}"
            lines.append(f"{at} -d '{_plain(argument['help'])}'")
    lines += [
        f"complete -c irassay -f -n '__irassay_at {name}' -a {offered(words)}"
        for words, names in _place_cases(commands).items()
        for name in names
    ]
    return FISH.format(metrics=metrics) + "\n".join(lines) + "\n"
