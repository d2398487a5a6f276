// Moves files by a table and rewrites what names them: node scripts/refactor/move.js MOVES.tsv [PREFIX of new paths]
// The table has lines of two paths with a tab between. Module specifiers and strings that lead to an existing path are
// rewritten in sources; paths below src/ in Markdown, JSON and scripts are rewritten as text.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

const [table, prefix = ''] = process.argv.slice(2)
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
const tracked = git('ls-files').trim().split('\n')
const isTracked = new Set(tracked)

const rows = new Map(
  readFileSync(table, 'utf8')
    .split('\n')
    .filter((l) => l.includes('\t'))
    .map((l) => l.split('\t')),
)
/** A test that has changed its tier goes where the table has it, with its suffix. */
const rowOf = (path) => {
  const tier = /\.(full|deep)(?=\.test\.ts$)/.exec(path)?.[0] ?? ''
  const to =
    rows.get(path) ?? (tier && rows.get(path.replace(tier, ''))?.replace('.test.ts', `${tier}.test.ts`))
  return to || undefined
}
const moves = new Map()
for (const from of tracked) {
  const to = rowOf(from)
  if (to !== undefined && from !== to && to.startsWith(prefix)) moves.set(from, to)
}
const placeOf = (path) => moves.get(path) ?? path

/** Where a folder went: the deepest folder that all its files share now; undefined if they went apart. */
const folders = new Map()
for (const path of tracked)
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    if (!folders.has(folder)) folders.set(folder, [])
    folders.get(folder).push(path)
  }
function placeOfFolder(folder) {
  const inside = folders.get(folder)
  if (!inside) return folder
  const places = new Set(
    inside.map((path) => {
      const rest = path.slice(folder.length)
      const place = placeOf(path)
      return place.endsWith(rest) ? place.slice(0, -rest.length) : undefined
    }),
  )
  if (places.size === 1) return [...places][0]
  const parts = inside.map((path) => dirname(placeOf(path)).split('/'))
  const shared = parts[0].filter((part, i) =>
    parts.every((p) => p.slice(0, i + 1).join('/') === parts[0].slice(0, i + 1).join('/') && p[i] === part),
  )
  return shared.length > 3 ? shared.join('/') : undefined
}

const dotted = (path) => (path.startsWith('.') ? path : `./${path}`)

/** The specifier in a file that was at `from`, as it must be where the file is now. */
function rewritten(text, from) {
  const target = join(dirname(from), text)
  const at = dirname(placeOf(from))
  if (isTracked.has(target)) return dotted(relative(at, placeOf(target)))
  if (!folders.has(target) && !existsSync(target)) return undefined
  const place = target.startsWith('..') ? undefined : placeOfFolder(target)
  if (place === undefined) {
    console.log(`by hand: ${from}: "${text}"`)
    return undefined
  }
  const end = text.endsWith('/') ? '/' : ''
  return dotted(relative(at, place) || '.') + end
}

const problems = []
function source(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const edits = []
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) && /^\.{1,2}\//.test(node.text)) {
      const now = rewritten(node.text, path)
      if (now !== undefined && now !== node.text) edits.push([node.getStart(file) + 1, node.end - 1, now])
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  let out = text
  for (const [start, end, now] of edits.sort((a, b) => b[0] - a[0]))
    out = out.slice(0, start) + now + out.slice(end)
  return out
}

/** Paths from the root, as texts: whole files first, then folders that stayed together. */
function plain(path, text) {
  return text.replace(/(?<![\w./-])(?:\.\.\/)*src\/[\w./-]*[\w/]/g, (found) => {
    const up = found.match(/^(?:\.\.\/)*/)[0]
    const named = found.slice(up.length)
    const bare = named.replace(/\/$/, '')
    const ends = ['', '.ts', '.test.ts', '.cases.ts']
    const end = ends.find((e) => isTracked.has(bare + e))
    let place
    if (end !== undefined) {
      place = placeOf(bare + end)
      place = end === '' ? place : place.slice(0, -end.length)
    } else if (folders.has(bare)) place = placeOfFolder(bare)
    else return found
    if (place === undefined) {
      problems.push(`${path}: ${found}`)
      return found
    }
    return up + place + (named.endsWith('/') ? '/' : '')
  })
}

/** Links of Markdown are relative to the page. */
function markdown(path, text) {
  const linked = text.replace(/\]\(([^)#\s]+)(#[^)]*)?\)/g, (all, link, anchor = '') => {
    if (/^[a-z]+:/.test(link)) return all
    const target = join(dirname(path), link)
    if (!isTracked.has(target) && !folders.has(target.replace(/\/$/, '')) && !existsSync(target)) return all
    const now = rewritten(link.startsWith('.') ? link : `./${link}`, path)
    return now === undefined ? all : `](${link.startsWith('.') ? now : now.replace(/^\.\//, '')}${anchor})`
  })
  return plain(path, linked)
}

let changed = 0
for (const path of tracked) {
  const isSource = /\.(ts|js|cjs)$/.test(path)
  if (!isSource && !/\.(md|json)$/.test(path)) continue
  if (/\.generated\.|package-lock|fixtures?\//.test(path)) continue
  const text = readFileSync(path, 'utf8')
  let now = text
  if (isSource) now = plain(path, source(path, text))
  else if (path.endsWith('.md')) now = markdown(path, text)
  else now = plain(path, text)
  if (now !== text) {
    writeFileSync(path, now)
    changed++
  }
}
for (const [from, to] of moves) {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}
git('add', '-A')
for (const problem of problems) console.log(`by hand: ${problem}`)
console.log(`${moves.size} files moved, ${changed} rewritten`)
for (const folder of [...folders.keys()].sort((a, b) => b.length - a.length))
  if (existsSync(folder) && git('ls-files', folder) === '') rmSync(folder, { recursive: true })
