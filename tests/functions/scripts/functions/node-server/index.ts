// Listens as frameworks for Node.js do.
import { createServer } from "node:http";
createServer((request, response) => response.end(`${request.method} ${request.url}`)).listen(8000);
