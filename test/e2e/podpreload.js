/** Loaded into a controller: the folder of a Pod's ServiceAccount is that of LOCKSTEP_POD, since a test may not write to /var/run. */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount/'
const { readFile } = fs
const here = process.env.LOCKSTEP_POD

if (here) {
  fs.readFile = (path, ...more) =>
    readFile(String(path).startsWith(IN_POD) ? `${here}/${String(path).slice(IN_POD.length)}` : path, ...more)
  syncBuiltinESMExports()
}
