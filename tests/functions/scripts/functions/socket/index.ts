Deno.serve((request) => {
  if (request.headers.get("upgrade") !== "websocket") return new Response("a socket is wanted", { status: 426 });
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.onmessage = (event) => {
    if (event.data === "end") socket.close(4001, "done");
    else socket.send(typeof event.data === "string" ? `${new URL(request.url).pathname} ${event.data}` : event.data);
  };
  return response;
});
