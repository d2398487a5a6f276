/** Archives of charts, well made and badly made. */
import { gzipSync } from 'node:zlib'

export interface TarFile {
  readonly name: string
  readonly content?: string | Uint8Array
  /** As in the header: `0` a file, `2` a symbolic link, … */
  readonly type?: string
  readonly link?: string
  /** What the header says instead of what it has. */
  readonly size?: number
}

const encoder = new TextEncoder()

function header({ name, type = '0', link = '', size }: TarFile, length: number): Uint8Array {
  const block = new Uint8Array(512)
  const put = (text: string, at: number): void => block.set(encoder.encode(text), at)
  put(name.slice(0, 100), 0)
  put('0000644\0', 100)
  put(`${(size ?? length).toString(8).padStart(11, '0')}\0`, 124)
  put('        ', 148)
  put(type, 156)
  put(link, 157)
  put('ustar\x0000', 257)
  const sum = block.reduce((a, b) => a + b, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** One after the other, and two empty blocks. */
export function tarOf(files: readonly TarFile[]): Uint8Array {
  const blocks: Uint8Array[] = []
  for (const file of files) {
    const bytes = typeof file.content === 'string' ? encoder.encode(file.content) : file.content
    const content = bytes ?? new Uint8Array()
    const padded = new Uint8Array(Math.ceil(content.length / 512) * 512)
    padded.set(content)
    blocks.push(header(file, content.length), padded)
  }
  return Buffer.concat([...blocks, new Uint8Array(1024)])
}

/** A record of PAX: `<length> <key>=<value>`. */
export function paxOf(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const length = encoder.encode(rest).length
  const digits = String(length + String(length).length).length
  return `${length + digits}${rest}`
}

export const chartYaml = (name: string, version: string): string =>
  `apiVersion: v2\nname: ${name}\nversion: ${version}\n`

/** A chart as helm packages it: its files below a directory with its name. */
export function chartArchive(
  name: string,
  version: string,
  files: Readonly<Record<string, string>> = {},
): Uint8Array {
  const all = { 'Chart.yaml': chartYaml(name, version), ...files }
  return tgzOf(Object.entries(all).map(([path, content]) => ({ name: `${name}/${path}`, content })))
}

export const tgzOf = (files: readonly TarFile[]): Uint8Array => gzipSync(tarOf(files))
