// Limits that keep the code readable: files of a size that one can take in, and names that say what is inside.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const MOST = 400
const MEDIAN = 110
const P90 = 260
const VAGUE = /^(utils?|helpers?|common|misc)$/
const TOP_README = 40

/** Source files below a folder; generated ones are nobody's to read. */
function* files(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* files(path)
    else if (/\.(ts|js|md)$/.test(entry.name) && !/\.generated\.\w+$/.test(entry.name)) yield path
  }
}

const linesOf = (path) => readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length

const problems = []
const sizes = []
for (const folder of ['src', 'test', 'scripts', 'bin', 'bench']) {
  for (const path of files(folder)) {
    const lines = linesOf(path)
    const name = path.split('/').at(-1).replace(/\..*$/, '')
    if (VAGUE.test(name)) problems.push(`${path}: a name that says what is in it, not "${name}"`)
    if (path.endsWith('.md')) {
      if (/^src\/[^/]+\/README\.md$/.test(path) && lines > TOP_README)
        problems.push(`${path}: ${lines} lines, the limit is ${TOP_README}`)
      continue
    }
    if (lines > MOST) problems.push(`${path}: ${lines} lines, the limit is ${MOST}`)
    if (folder === 'src' && !/\.(test|cases)\.ts$/.test(path)) sizes.push(lines)
  }
}
sizes.sort((a, b) => a - b)
const at = (part) => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * part))] ?? 0
if (at(0.5) > MEDIAN)
  problems.push(`src/: half of the files have more than ${at(0.5)} lines, the limit is ${MEDIAN}`)
if (at(0.9) > P90)
  problems.push(`src/: a tenth of the files has more than ${at(0.9)} lines, the limit is ${P90}`)

for (const p of problems) console.error(p)
console.log(
  `${relative(process.cwd(), root) || '.'}: ${sizes.length} source files, median ${at(0.5)}, p90 ${at(0.9)}, most ${sizes.at(-1)} lines`,
)
process.exitCode = problems.length > 0 ? 1 : 0
