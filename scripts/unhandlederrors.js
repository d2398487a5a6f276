// A reporter of vitest's: errors that belong to no test go to the file that LOCKSTEP_UNHANDLED names.
import { writeFileSync } from 'node:fs'

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter from the default export
export default class Unhandled {
  onTestRunEnd(_modules, errors) {
    const file = process.env.LOCKSTEP_UNHANDLED
    if (file === undefined) return
    writeFileSync(file, JSON.stringify(errors.map((e) => `${e.name}: ${e.message}\n${e.stack ?? ''}`)))
  }
}
