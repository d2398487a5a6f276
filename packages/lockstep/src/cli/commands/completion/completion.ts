import { type Command, failed } from '../../kit/index.ts'
import { nearest } from '../../kit/terminal/index.ts'
import { completionScripts, SHELLS, type Shell } from './completionscripts.ts'

/** `lockstep completion`. */
export const completionCommand: Command = {
  name: 'completion',
  summary: 'Print a script that completes commands in a shell',
  arguments: '<shell>',
  completes: ['shell'],
  detail: [
    'The program must be on the PATH as lockstep. Names are read from the hub of the current context; a Tab waits at most one second.',
    'bash, in ~/.bashrc: source <(lockstep completion bash)',
    'zsh, in ~/.zshrc after compinit: source <(lockstep completion zsh)',
    'fish, in config.fish: lockstep completion fish | source',
    'The script of kubectl completes its plugins; it needs kubectl-lockstep and kubectl_complete-lockstep on the PATH.',
  ].join('\n'),
  formats: ['table'],
  examples: [
    ['For bash', 'completion bash'],
    ['For zsh, as a file in its fpath', 'completion zsh | tee _lockstep'],
    ['For fish', 'completion fish'],
  ],
  async run(c, args) {
    const shell = SHELLS.find((s): s is Shell => s === args[0])
    if (shell) {
      c.terminal.data(completionScripts[shell])
      return { ok: true, value: 0 }
    }
    const meant = nearest(args[0]!, SHELLS)
    return failed('E_USAGE', {
      problem: `no completion for ${args[0]}`,
      suggestion: meant ? `did you mean ${meant}?` : `shells: ${SHELLS.join(', ')}`,
    })
  },
}
