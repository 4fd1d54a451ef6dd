import { Argument, type Command } from 'commander';
import { bashScript, zshScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { commandWords } from './completion/tree.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and campaign ids in your shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .action((shell: keyof typeof scripts) => {
      process.stdout.write(scripts[shell](commandWords(program)));
    });
}
