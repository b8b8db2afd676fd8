/** What tests/parity.py of the gateway reads in the report. */

import type {} from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Methods of the official client that the test called. */
    calls?: string[]
    /** All that there are. */
    methods?: string[]
  }
}
