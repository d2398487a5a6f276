/** Other threads of this process: programs with event loops of their own, which go on while this one is busy. */
export interface Threads {
  /** Runs the module at a URL. `input` is copied for it, all but shared memory. `hear` is told what it posts. */
  start(module: string, input: unknown, hear: (message: unknown) => void): Thread
}

export interface Thread {
  post(message: unknown): void
  /** It has ended; the value is the error that nobody caught there. */
  readonly ended: Promise<string | undefined>
  stop(): Promise<void>
}

/** As a thread sees it. */
export interface InThread {
  readonly input: unknown
  post(message: unknown): void
  hear(listener: (message: unknown) => void): void
  /** Nothing is heard any more; the thread ends when nothing else keeps it. */
  close(): void
}

/** Where there is one thread only, as in simulations. */
export const noThreads: Threads = {
  start: () => ({ post: () => {}, ended: Promise.resolve('no threads here'), stop: async () => {} }),
}
