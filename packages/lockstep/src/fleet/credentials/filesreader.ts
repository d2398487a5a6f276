import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Env, err, type NetFailure, ok, type Result, type TlsOptions } from '@lockstep/kube/env'
import { certificateOf } from './credentialexpiry.ts'
import type { CredentialFiles, FilesSource } from './credentialsource.ts'
import {
  type CredentialRefusal,
  noCredential,
  REREAD_MS,
  type SourceReader,
  type SourceReading,
} from './sourcereader.ts'

/** Contents of the files; those of the endpoint where no file has replaced them. */
interface FileValues {
  readonly token?: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** A file, or its problem. */
type FileRead = Result<string, string>

/**
 * Reads files every 10 s. A file may be removed or truncated before it is replaced, or be one of two: without a usable
 * content it keeps its last value.
 */
export class FilesReader implements SourceReader {
  private readonly env: Env
  private readonly source: Pick<FilesSource, 'endpoint' | 'files'>
  private values: FileValues
  private last: SourceReading | undefined
  private readAt = Number.NEGATIVE_INFINITY

  constructor(env: Env, source: Pick<FilesSource, 'endpoint' | 'files'>) {
    this.env = env
    this.source = source
    const { ca, cert, key } = source.endpoint.tls ?? {}
    this.values = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
  }

  async read(refusal?: CredentialRefusal): Promise<Result<SourceReading, NetFailure>> {
    const now = this.env.clock.steady()
    if (this.last && refusal === undefined && now < this.readAt + REREAD_MS) return ok(this.last)
    const [token, ca, cert, key] = await Promise.all([
      this.content('token', tokenOf),
      this.content('ca', authoritiesOf),
      this.content('cert', ok),
      this.content('key', ok),
    ])
    this.readAt = now
    const pair = this.pairOf(cert, key)
    const problems = [token, ca, pair].flatMap((r) => (r && !r.ok ? [r.error] : []))
    this.values = {
      ...this.values,
      ...(token?.ok ? { token: token.value } : {}),
      ...(ca?.ok ? { ca: ca.value } : {}),
      ...(pair?.ok ? pair.value : {}),
    }
    const [problem] = problems
    if (problem !== undefined && !this.isComplete()) return err(noCredential(problem))
    this.last = { endpoint: this.endpoint(), ...(problem === undefined ? {} : { problem }) }
    return ok(this.last)
  }

  /** Each file has been read once, or the endpoint has a value in its place. */
  private isComplete(): boolean {
    const { files, endpoint } = this.source
    const has = (name: keyof CredentialFiles): boolean =>
      this.values[name] !== undefined || (name === 'token' && endpoint.headers !== undefined)
    return (Object.keys(files) as (keyof CredentialFiles)[]).every(has)
  }

  private endpoint(): SourceReading['endpoint'] {
    const { endpoint } = this.source
    const { token, ca, cert, key } = this.values
    const tls: TlsOptions = { ...endpoint.tls, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
    return {
      ...endpoint,
      ...(Object.keys(tls).length > 0 ? { tls } : {}),
      ...(token === undefined ? {} : { headers: { ...endpoint.headers, authorization: `Bearer ${token}` } }),
    }
  }

  private async content(
    name: keyof CredentialFiles,
    parse: (text: string) => FileRead,
  ): Promise<FileRead | undefined> {
    const path = this.source.files[name]
    if (path === undefined) return undefined
    const read = await this.env.files.read(path)
    if (!read.ok) return err(read.error.kind === 'NotFound' ? `${path}: does not exist` : read.error.message)
    const text = new TextDecoder().decode(read.value).trim()
    if (text === '') return err(`${path}: is empty`)
    const parsed = parse(text)
    return parsed.ok ? parsed : err(`${path}: ${parsed.error}`)
  }

  /** Certificate and key, if they belong together: one of them may be replaced before the other one. */
  private pairOf(
    cert: FileRead | undefined,
    key: FileRead | undefined,
  ): Result<Pick<FileValues, 'cert' | 'key'>, string> | undefined {
    if (!cert && !key) return undefined
    if (cert && !cert.ok) return cert
    if (key && !key.ok) return key
    const { files, endpoint } = this.source
    const pair = { cert: cert?.value ?? endpoint.tls?.cert ?? '', key: key?.value ?? endpoint.tls?.key ?? '' }
    if (isPair(pair.cert, pair.key)) return ok(pair)
    return err(
      `${[files.cert, files.key].filter((p) => p !== undefined).join(' and ')}: no certificate with its key`,
    )
  }
}

const tokenOf = (text: string): FileRead => (/^[\x21-\x7e]+$/.test(text) ? ok(text) : err('is not a token'))

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function authoritiesOf(text: string): FileRead {
  const blocks = text.match(CERTIFICATE) ?? []
  const isWhole = blocks.length > 0 && blocks.every((block) => certificateOf(block) !== undefined)
  return isWhole ? ok(text) : err('is not a list of PEM certificates')
}

function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
