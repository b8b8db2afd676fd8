"""The console: see and run the backend in a browser. `gateway.console.mount` is what the ports hold."""
