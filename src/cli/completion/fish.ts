import { type CommandWords, type Expected, placeOf } from './tree.ts';

/** A completion script for fish, with the description of each command and option. */
export function fishScript(all: readonly CommandWords[]): string {
  const lines = all.flatMap(({ path, commands, options, arguments: own }) => {
    const at = `complete -c foray -n ${quoted(`__foray_at "${placeOf(path)}"`)}`;
    return [
      ...commands.map(({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map(({ names, description, value }) => {
        const flags = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const takes = value === undefined ? '' : ` ${valueFlags(value)}`;
        return `${at} ${flags.join(' ')}${takes} -d ${quoted(description)}`;
      }),
      // one rule for each kind of argument, because this script does not count the arguments before the cursor
      ...[...new Set(own)]
        .filter((expected) => expected !== 'anything')
        .map((expected) => `${at} ${wordFlags(expected)}`),
    ];
  });
  const paths = all.slice(1).map(({ path }) => quoted(placeOf(path)));
  return `function __foray_at
    set -l path ''
    for word in (commandline -opc)[2..]
        if contains -- "$path $word" ${paths.join(' ')}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
function __foray_campaigns
    set -l words (string replace -r '^~/' "$HOME/" -- (commandline -opc))
    $words[1] campaign-ids $words[2..] 2>/dev/null
end
complete -c foray -f
${lines.join('\n')}
`;
}

function valueFlags(expected: Expected): string {
  return expected === 'anything' ? '-x' : expected === 'file' ? '-r -F' : `-x ${wordFlags(expected)}`;
}

function wordFlags(expected: Expected): string {
  switch (expected) {
    case 'file':
      return '-F';
    case 'folder':
      return "-a '(__fish_complete_directories)'";
    case 'campaign':
      return "-a '(__foray_campaigns)'";
    case 'anything':
      return '';
    default:
      return `-a ${quoted(expected.join(' '))}`;
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
