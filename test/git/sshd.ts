/** A real sshd on loopback that serves repositories with git's own upload-pack. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'

export interface SshServer {
  readonly port: number
  /** The private key that it lets in. */
  readonly identity: string
  /** Its host key, as a line of known_hosts. */
  readonly knownHosts: string
  url(repository: string): string
  close(): Promise<void>
}

/** Undefined: there is none on this machine. */
export const sshdProgram = (): string | undefined =>
  ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path))

/** A new ed25519 key; returns the path of its private half. */
export function newKey(dir: string, name: string): string {
  const path = join(dir, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', path])
  return path
}

/** `modern`: clients may ask for protocol v2 of git. */
export async function serveSsh(dir: string, modern: boolean): Promise<SshServer> {
  mkdirSync(dir, { recursive: true })
  // Where sshd that runs as root keeps its own; another user needs none.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const [hostKey, identity] = [newKey(dir, 'host'), newKey(dir, 'identity')]
  writeFileSync(join(dir, 'authorized'), readFileSync(`${identity}.pub`))
  const port = await freePort()
  const settings = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(dir, 'authorized')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    ...(modern ? ['AcceptEnv GIT_PROTOCOL'] : []),
  ]
  const config = join(dir, 'sshd_config')
  writeFileSync(config, `${settings.join('\n')}\n`)
  const child = spawn(sshdProgram()!, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Server listening on')) resolve()
    })
    void ended.then(() => reject(new Error(`sshd has ended: ${said}`)))
  })
  const [type, key] = readFileSync(`${hostKey}.pub`, 'utf8').split(' ')
  return {
    port,
    identity: readFileSync(identity, 'utf8'),
    knownHosts: `[127.0.0.1]:${port} ${type} ${key}\n`,
    url: (repository) => `ssh://${userInfo().username}@127.0.0.1:${port}${repository}`,
    close() {
      child.kill()
      return ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return typeof address === 'object' && address ? address.port : 0
}
