// The official client opens no socket in these tests, but will not be created without the class for one, which
// Node 20 lacks.
globalThis.WebSocket ??= EventTarget as unknown as typeof WebSocket
