/** Git's own server for real repositories: `git http-backend`, by CGI (git-http-backend(1), RFC 3875). */
import type { Env, ServerRequest, ServerResponse } from '@lockstep/kube/env'
import type { BareStore } from './barestore.ts'

const MiB = 1024 * 1024

/** `rest`: `info/refs?service=…`, `git-upload-pack`, `git-receive-pack`. */
export async function backend(
  env: Env,
  store: BareStore,
  rest: string,
  query: string,
  request: ServerRequest,
): Promise<ServerResponse> {
  const body = await request.body(64 * MiB)
  if (!body.ok) return { status: 413, headers: {}, body: '' }
  const { headers } = request
  const ran = await env.processes.run('git', ['http-backend'], {
    env: {
      GIT_PROJECT_ROOT: store.dir,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...configured([
        ['uploadpack.allowFilter', 'true'],
        ['uploadpack.allowAnySHA1InWant', 'true'],
        ['http.receivepack', 'true'],
        ['safe.directory', '*'],
        ['receive.fsckObjects', 'true'],
      ]),
      REQUEST_METHOD: request.method,
      PATH_INFO: `/${rest}`,
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.value.length),
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: headers['git-protocol'] ?? '',
      REMOTE_USER: 'git',
    },
    stdin: body.value,
    timeoutMs: 30_000,
    maxOutput: 256 * MiB,
  })
  return ran.ok ? answerOf(ran.value.stdout) : { status: 500, headers: {}, body: ran.error.kind }
}

function configured(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const out: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) }
  for (const [i, [key, value]] of settings.entries()) {
    out[`GIT_CONFIG_KEY_${i}`] = key
    out[`GIT_CONFIG_VALUE_${i}`] = value
  }
  return out
}

/** Headers, an empty line, the body; the status is a header. */
function answerOf(output: Uint8Array): ServerResponse {
  const end = indexOfEnd(output)
  const headers: Record<string, string> = {}
  let status = 200
  for (const line of new TextDecoder().decode(output.subarray(0, end)).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    if (name === 'status') status = Number.parseInt(value, 10)
    else headers[name] = value
  }
  return { status, headers, body: output.subarray(end + 4) }
}

function indexOfEnd(output: Uint8Array): number {
  for (let i = 0; i + 3 < output.length; i++)
    if (output[i] === 13 && output[i + 1] === 10 && output[i + 2] === 13 && output[i + 3] === 10) return i
  return output.length
}
