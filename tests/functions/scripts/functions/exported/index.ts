export default { fetch: (request: Request) => new Response(new URL(request.url).pathname) };
