import { parentPort, Worker, workerData } from 'node:worker_threads'
import type { InThread, Threads } from '../threads.ts'

export const nodeThreads: Threads = {
  start(module, input, hear) {
    const worker = new Worker(new URL(module), { workerData: input })
    let failure: string | undefined
    worker.on('message', hear)
    worker.on('error', (e) => {
      failure = e instanceof Error ? e.message : String(e)
    })
    return {
      post: (message) => worker.postMessage(message),
      ended: new Promise((resolve) => worker.on('exit', () => resolve(failure))),
      stop: async () => void (await worker.terminate()),
    }
  },
}

/** The side of the thread that was started. */
export function inThread(): InThread {
  const port = parentPort!
  return {
    input: workerData,
    post: (message) => port.postMessage(message),
    hear: (listener) => void port.on('message', listener),
    close: () => port.close(),
  }
}
