"""Scripts that complete commands, options, values and metrics in a shell, written from the index alone."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from irassay.cli.help import ABOUT_META
from irassay.cli.parser import SWITCHES
from irassay.declarations import index
from irassay.method import method
from irassay.settings import Option

COMMON_METRICS = ("nDCG@10", "P@10", "RR@10", "Judged@10")  # the metrics with a cutoff that are typed most


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
    """Print a script that completes commands, options, values and metrics.

    Save it where your shell looks for completions (see below), then open a new shell.
    """
    commands, metrics = dict(index()["commands"]), " ".join([*index()["metrics"], *COMMON_METRICS])
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands, metrics)


def _quotable(text: str) -> str:
    """A sentence that may stand between single quotes."""
    return text.replace("'", "’").replace("\\", "").replace(":", " -")


def _first_words(commands: Mapping[str, Any]) -> dict[str, str]:
    """What may come first, with a sentence each."""
    single = {name: entry["question"] for name, entry in commands.items() if " " not in name}
    return single | {"meta": ABOUT_META, "help": "Show the help of a command."}


def _meta_words(commands: Mapping[str, Any]) -> dict[str, str]:
    return {name.split()[1]: entry["question"] for name, entry in commands.items() if name.startswith("meta ")}


def _option_sentences(entry: Mapping[str, Any]) -> dict[str, str]:
    sentences = {flag: argument["help"] for argument in entry["arguments"] for flag in argument.get("flags", ())}
    return sentences | {"--help": "Show this."}


def _value_words(argument: Mapping[str, Any]) -> str:
    """The words that an argument may be: '$metrics' for metrics, '' for anything."""
    return "$metrics" if argument.get("metavar") == "METRIC" else " ".join(argument.get("choices", ()))


def _words_after(commands: Mapping[str, Any], by_place: bool = False) -> dict[str, list[str]]:
    """The words that may follow -> every "command:option" before them, or every command that takes them by place."""
    places: dict[str, list[str]] = {}
    for name, entry in commands.items():
        for argument in entry["arguments"]:
            flags = argument.get("flags", ())
            if by_place and not flags and _value_words(argument):
                places.setdefault(_value_words(argument), []).append(name)
            elif not by_place and flags and argument["kind"] not in SWITCHES:
                places.setdefault(_value_words(argument), []).extend(f"{name}:{flag}" for flag in flags)
    return places


# The body of the function in bash and zsh.
CASES = """\
    word="${{{words}[i]}}"
    if [[ $word == help && -z $command ]]; then continue; fi
    if [[ -z $command || $command == meta ]]; then command="${{command:+$command }}$word"; fi
  done
  case "$command" in
    "") {first}{describe_command}; return ;;
    meta) {meta}{describe_method}; return ;;
  esac
  case "$command:$prev" in
{values}
  esac
  if [[ $cur == -* ]]; then
    case "$command" in
{options}
    esac{describe_option}
    return
  fi
  case "$command" in
{places}
  esac
"""
BASH = """# irassay's words in bash
_irassay() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="" word i
  local metrics='{metrics}'
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
{cases}}}
complete -o default -F _irassay irassay
"""
ZSH = """#compdef irassay
# irassay's words in zsh
_irassay() {{
  local cur="${{words[CURRENT]}}" prev="${{words[CURRENT-1]}}" command="" word i
  local -a metrics entries
  metrics=({metrics})
  if [[ $cur == --*=* ]]; then prev="${{cur%%=*}}"; compset -P '*='; fi
  for ((i = 2; i < CURRENT; i++)); do
{cases}  _files
}}
if [[ $funcstack[1] == _irassay ]]; then _irassay "$@"; else compdef _irassay irassay; fi
"""


def _case_lines(commands_of_words: Mapping[str, list[str]], replies: Mapping[str, str]) -> str:
    """The lines of a `case` command: which words complete which patterns."""
    patterns = {words: "|".join(f'"{name}"' for name in names) for words, names in commands_of_words.items()}
    return "\n".join(f"    {pattern}) {replies[words]} ;;" for words, pattern in patterns.items())


def _cases(
    commands: Mapping[str, Any], reply: Callable[[str], str], entries: Callable[[Mapping[str, str]], str], **parts: str
) -> str:
    """The body of the function: `reply` completes words, '' if they are not known; `entries`, names with sentences."""
    after, by_place = _words_after(commands), _words_after(commands, by_place=True)
    return CASES.format(
        first=entries(_first_words(commands)),
        meta=entries(_meta_words(commands)),
        values=_case_lines(after, {words: "; ".join(filter(None, (reply(words), "return"))) for words in after}),
        options="\n".join(f'      "{n}") {entries(_option_sentences(e))} ;;' for n, e in commands.items()),
        places=_case_lines(by_place, {words: reply(words) for words in by_place}),
        **parts,
    )


def _bash(commands: Mapping[str, Any], metrics: str) -> str:
    def reply(words: str) -> str:
        quoted = '"$metrics"' if words == "$metrics" else f"'{words}'"
        return f'COMPREPLY=($(compgen -W {quoted} -- "$cur"))' if words else ""

    parts = {"words": "COMP_WORDS", "describe_command": "", "describe_method": "", "describe_option": ""}
    return BASH.format(metrics=metrics, cases=_cases(commands, reply, lambda names: reply(" ".join(names)), **parts))


def _zsh(commands: Mapping[str, Any], metrics: str) -> str:
    def reply(words: str) -> str:
        return "compadd -a metrics" if words == "$metrics" else f"compadd -- {words}" if words else "_files"

    def entries(sentences: Mapping[str, str]) -> str:
        return "entries=({})".format(" ".join(f"'{name}:{_quotable(text)}'" for name, text in sentences.items()))

    describe = {f"describe_{kind}": f"; _describe {kind} entries" for kind in ("command", "method")}
    describe["describe_option"] = "\n    _describe -o option entries"
    return ZSH.format(metrics=metrics, cases=_cases(commands, reply, entries, words="words", **describe))


FISH = """# irassay's words in fish
function __irassay_at
  set -l typed
  for word in (commandline -opc)[2..]
    test "$word" = help; and test -z "$typed"; and continue
    if test -z "$typed"; or test "$typed" = meta
      set typed (string trim "$typed $word")
    end
  end
  test "$typed" = "$argv"
end
set -g __irassay_metrics {metrics}
"""


def _fish(commands: Mapping[str, Any], metrics: str) -> str:
    def quoted(words: str) -> str:
        return '"$__irassay_metrics"' if words == "$metrics" else f"'{words}'"

    lines = [
        f"complete -c irassay -f -n '__irassay_at \"{at}\"' -a {name} -d '{_quotable(sentence)}'"
        for at, sentences in (("", _first_words(commands)), ("meta", _meta_words(commands)))
        for name, sentence in sentences.items()
    ]
    for name, entry in commands.items():
        for argument in (each for each in entry["arguments"] if each.get("flags")):
            flags = " ".join(f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in argument["flags"])
            words = _value_words(argument)
            value = "" if argument["kind"] in SWITCHES else f" -x -a {quoted(words)}" if words else " -r"
            sentence = _quotable(argument["help"])
            lines.append(f"complete -c irassay -n '__irassay_at {name}' {flags}{value} -d '{sentence}'")
    lines += [
        f"complete -c irassay -f -n '__irassay_at {name}' -a {quoted(words)}"
        for words, names in _words_after(commands, by_place=True).items()
        for name in names
    ]
    return FISH.format(metrics=metrics) + "\n".join(lines) + "\n"
