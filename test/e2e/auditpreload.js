/** Loaded into `lockstep up`: appends each request that it is sent to the file of LOCKSTEP_AUDIT_LOG. */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const path = process.env.LOCKSTEP_AUDIT_LOG
/** The answer to a watch ends with the watch. Each request is written when it begins, and with its status when it ends. */
const note = (request, code) => {
  const { method, url, headers } = request
  appendFileSync(path, `${JSON.stringify({ method, url, headers: shown(headers), code })}\n`)
}
const shown = (h) => ({ 'user-agent': h['user-agent'], 'impersonate-user': h['impersonate-user'] })

if (path) {
  subscribe('http.server.request.start', ({ request }) => note(request))
  subscribe('http.server.response.finish', ({ request, response }) => note(request, response.statusCode))
}
