#!/usr/bin/env node
// kubectl runs this program when a shell completes `kubectl lockstep`.
import { start } from './start.js'

await start(['__complete', ...process.argv.slice(2)], 'kubectl lockstep')
