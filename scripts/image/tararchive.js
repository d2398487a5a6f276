// Writes a layer as a tar archive: sorted, time 0, root. Equal trees give equal bytes.
import { createHash } from 'node:crypto'
import { DIRECTORY, FILE, LINK } from './filetree.js'

const BLOCK = 512
const LONGEST_NAME = 100
const HARD_LINK = 'hard link'
const TYPE_FLAGS = { [FILE]: '0', [HARD_LINK]: '1', [LINK]: '2', [DIRECTORY]: '5', pax: 'x' }

/** The blocks of the archive, one after the other. Files with equal content are stored once. */
export function* tarBlocks(tree) {
  const firsts = new Map()
  for (const [path, entry] of tree.entries) {
    const name = entry.type === DIRECTORY ? `${path.slice(1)}/` : path.slice(1)
    yield* entryBlocks(name, entry.type === FILE ? stored(name, entry, firsts) : entry)
  }
  yield Buffer.alloc(2 * BLOCK)
}

function stored(name, entry, firsts) {
  if (entry.content.length < BLOCK) return entry
  const digest = `${entry.mode} ${createHash('sha256').update(entry.content).digest('hex')}`
  const first = firsts.get(digest)
  if (first !== undefined) return { type: HARD_LINK, mode: entry.mode, target: first }
  firsts.set(digest, name)
  return entry
}

function* entryBlocks(name, { type, mode, content = Buffer.alloc(0), target = '' }) {
  const records = [
    ...(Buffer.byteLength(name) > LONGEST_NAME ? [paxRecord('path', name)] : []),
    ...(Buffer.byteLength(target) > LONGEST_NAME ? [paxRecord('linkpath', target)] : []),
  ].join('')
  if (records !== '') {
    yield header({
      name: 'PaxHeader',
      type: 'pax',
      mode: 0o644,
      size: Buffer.byteLength(records),
      target: '',
    })
    yield* padded(Buffer.from(records))
  }
  yield header({ name, type, mode, size: content.length, target })
  yield* padded(content)
}

function* padded(content) {
  if (content.length === 0) return
  yield content
  const rest = content.length % BLOCK
  if (rest > 0) yield Buffer.alloc(BLOCK - rest)
}

/** A record counts its own length. */
function paxRecord(key, value) {
  const body = ` ${key}=${value}\n`
  let length = Buffer.byteLength(body)
  while (length !== Buffer.byteLength(body) + String(length).length)
    length = Buffer.byteLength(body) + String(length).length
  return `${length}${body}`
}

function header({ name, type, mode, size, target }) {
  const block = Buffer.alloc(BLOCK)
  const text = (value, at, length) => block.write(value, at, length, 'utf8')
  const octal = (value, at, length) => text(value.toString(8).padStart(length - 1, '0'), at, length)
  text(name, 0, LONGEST_NAME)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  text(' '.repeat(8), 148, 8)
  text(TYPE_FLAGS[type], 156, 1)
  text(target, 157, LONGEST_NAME)
  text('ustar\u000000', 257, 8)
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return block
}
