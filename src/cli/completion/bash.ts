import { shellQuoted } from '../../text/shell-quoted.ts';
import { type CommandWords, type Expected, placeOf } from './tree.ts';

/**
 * A completion script for bash. It must also work in zsh, which can run bash completions. zsh finds programs with the
 * variable `path`, so the script must not set a variable of this name.
 */
export function bashScript(all: readonly CommandWords[]): string {
  const quoted = (...words: string[]): string => shellQuoted(placeOf(words));
  // the first is the program itself
  const commands = all.slice(1).map(({ path }) => quoted(...path));
  const optionsWithValue = all.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) =>
      names.flatMap((name) => (value === undefined ? [] : [{ key: quoted(...path, name), value }])),
    ),
  );
  const positions = all.flatMap(({ path, arguments: own }) =>
    own.map((value, at) => ({ key: quoted(...path, String(at)), value })),
  );
  const parents = all.filter(({ commands }) => commands.length > 0);
  return `_foray() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} place='' at=0 awaits='' expected='' word i
  # bash splits --name=value and host:port into three words each
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for (( i = 1; i < COMP_CWORD; i++ )); do
    word=\${COMP_WORDS[i]}
    if [[ $word == [=:] ]]; then awaits=1
    elif [[ -n $awaits ]]; then awaits=''
    elif [[ $word == -* ]]; then
      case "$place $word" in
        ${optionsWithValue.map(({ key }) => key).join('|')}) awaits=1 ;;
      esac
    else
      case "$place $word" in
        ${commands.join('|')}) place="$place $word" at=0 ;;
        *) at=$((at + 1)) ;;
      esac
    fi
  done
  if [[ \${COMP_WORDS[COMP_CWORD]} == '=' ]]; then awaits=1; fi
  if [[ -n $awaits ]]; then
    case "$place $prev" in
${casesOf(optionsWithValue)}
    esac
  elif [[ $cur == -* ]]; then
    case "$place" in
${casesOf(all.map(({ path, options }) => ({ key: quoted(...path), value: options.flatMap(({ names }) => names) })))}
    esac
  else
    case "$place $at" in
${casesOf([
  ...parents.map((parent) => ({
    key: quoted(...parent.path, '0'),
    value: [...parent.commands.map(({ name }) => name), ...wordsOf(parent.arguments[0])],
  })),
  ...positions.filter(({ key }) => !parents.some(({ path }) => quoted(...path, '0') === key)),
])}
    esac
  fi
  case "$expected" in
    campaign)
      # The line is still as the user typed it. xargs removes the quotes. Unlike eval, it does not run code in the line.
      local line=\${COMP_LINE:0:$COMP_POINT} tilde=' ~/' home=" '$HOME'/"
      line=\${line%"$cur"}
      line=\${line#*"\${COMP_WORDS[0]}"}
      line=\${line//"$tilde"/$home}
      COMPREPLY=()
      # compgen -W is not used here, because it would run code in an id
      while IFS= read -r word; do
        if [[ -n $word && $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
      done <<< "$(xargs "\${COMP_WORDS[0]}" campaign-ids <<< "$line" 2>/dev/null)"
      ;;
    folder) local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")) ;;
    file) local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    '') COMPREPLY=() ;;
    *) COMPREPLY=($(compgen -W "$expected" -- "$cur")) ;;
  esac
}
complete -F _foray foray
`;
}

/** The script for zsh: it loads zsh's support for bash completions. */
export function zshScript(all: readonly CommandWords[]): string {
  return `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(all)}`;
}

function wordsOf(expected: Expected | undefined): readonly string[] {
  return Array.isArray(expected) ? (expected as readonly string[]) : [];
}

/** Arms of a case statement. Keys with the same expected value share one arm. */
function casesOf(items: readonly { key: string; value: Expected }[]): string {
  const keys = Map.groupBy(
    items.filter(({ value }) => value !== 'anything'),
    ({ value }) => (typeof value === 'string' ? value : value.join(' ')),
  );
  return [...keys]
    .map(
      ([expected, own]) =>
        `      ${own.map(({ key }) => key).join('|')}) expected=${shellQuoted(expected)} ;;`,
    )
    .join('\n');
}
