import { pinUnits, unpinUnits } from '../../kit/hold/index.ts'
import type { Command } from '../../kit/index.ts'

/** `lockstep pin`. */
export const pinCommand: Command = {
  name: 'pin',
  summary: 'Pin units at a revision',
  arguments: '<unit...>',
  completes: ['unit'],
  detail:
    'UNIT: MODULE@CLUSTER. Creates a Hold for each Module. The clusters are deployed at the revision and stay there, whatever is published. Drift is reverted. Dependents wait on these clusters if they require another release. lockstep unpin ends it.',
  options: [
    { flags: '--revision <revision>', text: 'revision or release of the history; required' },
    { flags: '--reason <text>', text: 'reason shown to users; default: lockstep pin' },
    { flags: '--until <duration>', text: 'time after which the Hold expires, such as 8h' },
  ],
  formats: ['table', 'json', 'yaml', 'name'],
  examples: [
    ['Pin one unit at a release', 'pin monitoring@prod-us --revision 2026.10 --reason audit'],
    ['Pin two units', 'pin shop@prod-us shop@prod-eu --revision 2026.10 -n platform'],
  ],
  run: (c, args, flags) => pinUnits(c, args, flags),
}

/** `lockstep unpin`. */
export const unpinCommand: Command = {
  name: 'unpin',
  summary: 'End the pins of units',
  arguments: '<unit...>',
  completes: ['unit'],
  detail:
    'UNIT: MODULE@CLUSTER. Deletes the Holds that pin it. A Hold that pins several clusters stays on the others.',
  formats: ['table', 'name'],
  examples: [
    ['End the pin of one unit', 'unpin monitoring@prod-us -n platform'],
    ['End the pins of two units', 'unpin shop@prod-us shop@prod-eu -n platform'],
  ],
  run: (c, args) => unpinUnits(c, args),
}
