// Builds the image of the controller as an OCI layout, without a daemon and without root:
// npm run image -- --platform linux/amd64,linux/arm64 --out DIR [--without helm,kustomize]
// npm run image -- --update-lock   pins the inputs in image.lock.json
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildImage } from './image/buildimage.js'
import { GO_PROGRAMS } from './image/goprograms.js'
import { InputRefused } from './image/imagecache.js'
import { PLATFORMS, updateLock } from './image/imagelock.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values } = parseArgs({
  options: {
    platform: { type: 'string', default: PLATFORMS.join(',') },
    without: { type: 'string', default: '' },
    out: { type: 'string' },
    'update-lock': { type: 'boolean' },
  },
})
const work = mkdtempSync(join(tmpdir(), 'lockstep-image-'))
const workFor = () => mkdtempSync(join(work, 'part-'))
try {
  if (values['update-lock']) updateLock(root, workFor)
  else await buildImage(root, optionsOf(values), workFor)
} catch (e) {
  if (!(e instanceof InputRefused)) throw e
  console.error(`error: ${e.message}`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function optionsOf({ platform, without, out }) {
  if (out === undefined) throw new InputRefused('--out is missing: name a new folder for the image')
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new InputRefused(`--out ${out}: the folder is not empty; name a new one`)
  mkdirSync(out, { recursive: true })
  const platforms = wordsOf('platform', platform, PLATFORMS)
  return { out, platforms, without: wordsOf('without', without, Object.keys(GO_PROGRAMS)) }
}

function wordsOf(flag, text, known) {
  const words = text.split(',').filter((word) => word !== '')
  const unknown = words.find((word) => !known.includes(word))
  if (unknown) throw new InputRefused(`--${flag}: ${unknown} is unknown; use ${known.join(', ')}`)
  return words
}
