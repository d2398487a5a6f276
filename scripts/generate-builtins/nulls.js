import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lists and maps that Go writes as null when they are empty, because their tag lacks `omitempty`: field names by short
 * name of the definition. The OpenAPI documents do not tell.
 */
export function nullFields(sources) {
  const out = new Map()
  for (const root of sources)
    for (const file of typeFiles(root)) readStructs(readFileSync(file.path, 'utf8'), file.prefix, out)
  return out
}

/** `…/core/v1/types.go` has the definitions `core.v1.…`. */
function typeFiles(root) {
  const out = []
  for (const base of [root, join(root, 'pkg/apis')]) {
    if (!existsSync(base)) continue
    for (const group of readdirSync(base)) {
      for (const version of ['v1', 'v2']) {
        const folder = join(base, group, version)
        if (!existsSync(folder)) continue
        for (const f of readdirSync(folder))
          if (/^types.*\.go$/.test(f)) out.push({ path: join(folder, f), prefix: `${group}.${version}.` })
      }
    }
  }
  return out
}

function readStructs(text, prefix, out) {
  let current
  for (const line of text.split('\n')) {
    const start = /^type (\w+) struct \{/.exec(line)
    if (start) current = prefix + start[1]
    else if (line.startsWith('}')) current = undefined
    const field = /^\t\w+\s+(\[\]|map\[)\S*\s+`[^`]*json:"([^",]+)(,[^"]*)?"/.exec(line)
    if (!current || !field || /omitempty|omitzero/.test(field[3] ?? '')) continue
    const names = out.get(current) ?? new Set()
    out.set(current, names.add(field[2]))
  }
}
