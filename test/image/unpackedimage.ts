/** An image as files below a folder: programs run in it by chroot, as its user, and all files are of root. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ImageLayout } from './imagelayout.ts'

export const IMAGE_USER = 65532
/** The platform whose programs this machine runs. */
export const OWN_PLATFORM = process.arch === 'x64' ? 'linux/amd64' : 'linux/arm64'
/** Only root may change its root folder, and make devices. */
export const canUnpack = process.getuid?.() === 0

/** Unpacks the layers of a platform into a folder. */
export function unpackLayers(layout: ImageLayout, platform: string, root: string): void {
  mkdirSync(root, { recursive: true })
  for (const layer of layout.image(platform).layers)
    execFileSync('tar', ['xzpf', layout.blob(layer), '-C', root, '--same-owner'])
}

export class UnpackedImage {
  readonly root: string
  private readonly variables: readonly string[]

  /** Adds what a container runtime does: /dev/null, and a volume for the cache. */
  constructor(layout: ImageLayout, root: string) {
    this.root = root
    this.variables = layout.image(OWN_PLATFORM).config.config.Env
    unpackLayers(layout, OWN_PLATFORM, root)
    const device = join(root, 'dev/null')
    mkdirSync(dirname(device), { recursive: true })
    rmSync(device, { force: true })
    execFileSync('mknod', ['-m', '666', device, 'c', '1', '3'])
    chownSync(join(root, 'var/cache/lockstep'), IMAGE_USER, IMAGE_USER)
    chmodSync(join(root, 'tmp'), 0o1777)
  }

  /** Runs a program; its output. */
  run(...line: string[]): string {
    return execFileSync('env', this.args(line, []), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** Starts a program with further variables, each `NAME=value`. */
  start(line: readonly string[], variables: readonly string[]): ChildProcess {
    return spawn('env', this.args(line, variables), { stdio: ['ignore', 'ignore', 'pipe'] })
  }

  private args(line: readonly string[], more: readonly string[]): string[] {
    const chroot = ['/usr/sbin/chroot', `--userspec=${IMAGE_USER}:${IMAGE_USER}`, this.root]
    return ['-i', ...this.variables, ...more, ...chroot, ...line]
  }
}
