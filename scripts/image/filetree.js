// The files of one layer, by their absolute path. All belong to root; modes are 0755 or 0644, so that the umask of a build
// does not matter and no file is setuid.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const DIRECTORY = 'directory'
export const FILE = 'file'
export const LINK = 'link'

export class FileTree {
  #entries = new Map()

  /** Paths and entries, parents before children. */
  get entries() {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  directory(path, mode = 0o755) {
    this.#add(path, { type: DIRECTORY, mode })
  }

  file(path, content, mode = 0o644) {
    this.#add(path, { type: FILE, mode, content: Buffer.from(content) })
  }

  link(path, target) {
    this.#add(path, { type: LINK, mode: 0o777, target })
  }

  /** Copies a file or link of this machine. */
  copy(path, from) {
    const found = lstatSync(from)
    if (found.isSymbolicLink()) this.link(path, readlinkSync(from))
    else this.file(path, readFileSync(from), found.mode & 0o111 ? 0o755 : 0o644)
  }

  /** Copies all that is in a folder of this machine. */
  copyFolder(path, from) {
    this.directory(path)
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const [to, source] = [`${path}/${entry.name}`, join(from, entry.name)]
      if (entry.isDirectory()) this.copyFolder(to, source)
      else this.copy(to, source)
    }
  }

  #add(path, entry) {
    const parent = dirname(path)
    if (parent !== '/' && !this.#entries.has(parent)) this.directory(parent)
    this.#entries.set(path, entry)
  }
}
