/** Path and query of a request, for servers. Takes any text: clients choose it. */

export interface RequestTarget {
  readonly path: string
  readonly query: URLSearchParams
}

/** `url`: the target of a request line, as `/readyz?verbose`. */
export function requestTarget(url: string): RequestTarget {
  const mark = url.indexOf('?')
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) }
}
