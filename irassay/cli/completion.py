"""Scripts by which shells complete commands, options, their values and metrics: written from the index alone."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from irassay.declarations import index
from irassay.method import method
from irassay.settings import Option

USUAL = ("nDCG@10", "P@10", "RR@10", "Judged@10")  # names with a cutoff that are typed most
METRIC_FLAGS = ("metrics", "simple", "main")  # options that name metrics


@method(
    "How does my shell complete irassay's words?",
    path="completion",
    without="jobs quiet define",
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
    commands: dict[str, Any] = dict(index()["commands"])
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands, [*index()["metrics"], *USUAL])


def _plain(text: str) -> str:
    """A sentence that may stand between single quotes."""
    return text.replace("'", "’").replace("\\", "").replace(":", " -")


def _first(commands: Mapping[str, Any]) -> dict[str, str]:
    """What may come first, and a line on each."""
    found = {name: entry["question"] for name, entry in commands.items() if " " not in name}
    found["meta"] = "Test metrics: what each is good for."
    return found | {"help": "Say what a command takes."}


def _second(commands: Mapping[str, Any]) -> dict[str, str]:
    return {name.split()[1]: entry["question"] for name, entry in commands.items() if name.startswith("meta ")}


def _values(commands: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Command, option and the words it may be followed by; '$metrics' for metrics, '' for anything."""
    for name, entry in commands.items():
        for argument in entry["arguments"]:
            if argument["kind"] in ("flag", "switch"):
                continue
            words = "$metrics" if argument["name"] in METRIC_FLAGS else " ".join(argument.get("choices", ()))
            for flag in argument.get("flags", ()):
                yield name, flag, words


def _cases(commands: Mapping[str, Any]) -> dict[str, list[str]]:
    """The words that may follow -> every `command:option` that they may follow."""
    found: dict[str, list[str]] = {}
    for name, flag, words in _values(commands):
        found.setdefault(words, []).append(f'"{name}:{flag}"')
    return found


def _flags(entry: Mapping[str, Any]) -> list[str]:
    return [*(flag for argument in entry["arguments"] for flag in argument.get("flags", ())), "--help"]


def _places(commands: Mapping[str, Any]) -> dict[str, list[str]]:
    """The words that a command takes by place: choices, or metrics."""
    found: dict[str, list[str]] = {}
    for name, entry in commands.items():
        by_place = [a for a in entry["arguments"] if not a.get("flags")]
        words = [word for a in by_place for word in a.get("choices", ())]
        if words or name == "explain":
            found.setdefault(" ".join(words) or "$metrics", []).append(f'"{name}"')
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


def _bash(commands: Mapping[str, Any], metrics: list[str]) -> str:
    reply = 'COMPREPLY=($(compgen -W {} -- "$cur"))'

    def words(text: str) -> str:
        return '"$metrics"' if text == "$metrics" else f"'{text}'"

    values = [
        f"    {'|'.join(flags)}) {(reply.format(words(text)) + '; ') if text else ''}return ;;"
        for text, flags in _cases(commands).items()
    ]
    options = [f'      "{name}") {reply.format(words(" ".join(_flags(e))))} ;;' for name, e in commands.items()]
    places = [f"    {'|'.join(names)}) {reply.format(words(text))} ;;" for text, names in _places(commands).items()]
    return BASH.format(
        metrics=" ".join(metrics), first=" ".join(_first(commands)), second=" ".join(_second(commands)),
        values="\n".join(values), options="\n".join(options), places="\n".join(places),
    )  # fmt: skip


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


def _zsh(commands: Mapping[str, Any], metrics: list[str]) -> str:
    def add(text: str) -> str:
        return "compadd -a metrics" if text == "$metrics" else f"compadd -- {text}"

    def described(lines: Mapping[str, str]) -> str:
        return " ".join(f"'{name}:{_plain(about)}'" for name, about in lines.items())

    values = [
        f"    {'|'.join(flags)}) {add(text) if text else '_files'}; return ;;"
        for text, flags in _cases(commands).items()
    ]
    options = [f'      "{name}") found=({described(_helped(entry))}) ;;' for name, entry in commands.items()]
    places = [f"    {'|'.join(names)}) {add(text)} ;;" for text, names in _places(commands).items()]
    return ZSH.format(
        metrics=" ".join(metrics), first=described(_first(commands)), second=described(_second(commands)),
        values="\n".join(values), options="\n".join(options), places="\n".join(places),
    )  # fmt: skip


def _helped(entry: Mapping[str, Any]) -> dict[str, str]:
    """The options of a command with a sentence each."""
    return {flag: argument["help"] for argument in entry["arguments"] for flag in argument.get("flags", ())} | {
        "--help": "Show this."
    }


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


def _fish(commands: Mapping[str, Any], metrics: list[str]) -> str:
    lines = [
        f"complete -c irassay -f -n '__irassay_at \"{at}\"' -a {name} -d '{_plain(about)}'"
        for at, group in (("", _first(commands)), ("meta", _second(commands)))
        for name, about in group.items()
    ]
    for name, entry in commands.items():
        at = f"complete -c irassay -n '__irassay_at {name}'"
        for argument in entry["arguments"]:
            flags = " ".join(
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in argument.get("flags", ())
            )
            if not flags:
                continue
            words = "$__irassay_metrics" if argument["name"] in METRIC_FLAGS else " ".join(argument.get("choices", ()))
            takes = "" if argument["kind"] in ("flag", "switch") else f" -x -a '{words}'" if words else " -r"
            takes = takes.replace("'$__irassay_metrics'", '"$__irassay_metrics"')
            lines.append(f"{at} {flags}{takes} -d '{_plain(argument['help'])}'")
    for text, names in _places(commands).items():
        words = '"$__irassay_metrics"' if text == "$metrics" else f"'{text}'"
        lines += [f"complete -c irassay -f -n '__irassay_at {name.strip(chr(34))}' -a {words}" for name in names]
    return FISH.format(metrics=" ".join(metrics)) + "\n".join(lines) + "\n"
