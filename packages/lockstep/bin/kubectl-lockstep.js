#!/usr/bin/env node
// kubectl runs this program for `kubectl lockstep`.
import { start } from './start.js'

await start(process.argv.slice(2), 'kubectl lockstep')
