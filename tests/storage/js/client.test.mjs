// Every method of the storage client that supabase-js is made of, against a live gateway. Written from its documentation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../supabase-compat/package.json", import.meta.url));
const { StorageClient } = createRequire(require.resolve("@supabase/supabase-js"))("@supabase/storage-js");
const url = `${process.env.GATEWAY_URL}/storage/v1`;
const client = (key) => new StorageClient(url, { apikey: key, authorization: `Bearer ${key}` });
const admin = client(process.env.SECRET_KEY);
const user = client(process.env.PUBLISHABLE_KEY);
let count = 0;

async function made(options = { public: false }) {
  const name = `js-${process.pid}-${count++}`;
  const { data, error } = await admin.createBucket(name, options);
  assert.equal(error, null);
  assert.deepEqual(data, { name });
  return name;
}

const text = (content, type = "text/plain") => new Blob([content], { type });

test("buckets", async () => {
  const name = await made({ public: true, fileSizeLimit: "1MB", allowedMimeTypes: ["image/*"] });
  const { data: found } = await admin.getBucket(name);
  assert.equal(found.file_size_limit, 1_000_000);
  assert.equal(found.public, true);
  assert.ok((await admin.listBuckets()).data.some((each) => each.id === name && each.type === "STANDARD"));
  assert.equal((await admin.listBuckets({ search: name, limit: 5, sortColumn: "name", sortOrder: "desc" })).data.length, 1);
  assert.deepEqual((await admin.updateBucket(name, { public: false })).data, { message: "Successfully updated" });
  assert.equal((await admin.emptyBucket(name)).error, null);
  assert.deepEqual((await admin.deleteBucket(name)).data, { message: "Successfully deleted" });
  const { data, error } = await admin.getBucket(name);
  assert.equal(data, null);
  assert.equal(error.message, "Bucket not found");
  assert.equal(error.statusCode, "404");
  assert.equal(error.status, 400);
});

test("upload, update, download, info, exists, remove", async () => {
  const bucket = admin.from(await made());
  const { data, error } = await bucket.upload("dir/a.txt", text("hello"), { cacheControl: "60", metadata: { a: 1 } });
  assert.equal(error, null);
  assert.equal(data.path, "dir/a.txt");
  assert.match(data.id, /^[0-9a-f-]{36}$/);
  assert.ok(data.fullPath.endsWith("/dir/a.txt"));
  const again = await bucket.upload("dir/a.txt", text("hello"));
  assert.equal(again.error.statusCode, "409");
  assert.equal(again.error.message, "The resource already exists");
  assert.equal((await bucket.upload("dir/a.txt", text("hello!"), { upsert: true })).error, null);
  assert.equal(await (await bucket.download("dir/a.txt")).data.text(), "hello!");
  assert.equal((await bucket.update("dir/a.txt", text("changed"))).error, null);
  assert.equal(await (await bucket.download("dir/a.txt")).data.text(), "changed");
  const info = (await bucket.info("dir/a.txt")).data;
  assert.equal(info.size, 7);
  assert.equal(info.contentType, "text/plain");
  assert.equal(info.cacheControl, "max-age=3600");
  assert.equal((await bucket.exists("dir/a.txt")).data, true);
  assert.equal((await bucket.exists("dir/b.txt")).data, false);
  const removed = await bucket.remove(["dir/a.txt", "none"]);
  assert.deepEqual(removed.data.map((each) => each.name), ["dir/a.txt"]);
  assert.equal((await bucket.download("dir/a.txt")).error.status, 400);
});

test("bodies that are no blobs", async () => {
  const bucket = admin.from(await made());
  for (const [name, body, wanted] of [
    ["string", "plain words", "plain words"],
    ["buffer", Buffer.from("a buffer"), "a buffer"],
    ["array", new TextEncoder().encode("an array").buffer, "an array"],
    ["stream", new Blob(["a stream"]).stream(), "a stream"],
  ]) {
    const { error } = await bucket.upload(name, body, { contentType: "text/css", duplex: "half", metadata: { name } });
    assert.equal(error, null, name);
    const { data } = await bucket.download(name);
    assert.equal(await data.text(), wanted, name);
    assert.equal(data.type, "text/css", name);
    assert.deepEqual((await bucket.info(name)).data.metadata, { name });
  }
  const form = new FormData();
  form.append("cacheControl", "9");
  form.append("", text("of a form"));
  assert.equal((await bucket.upload("form", form)).error, null);
  assert.equal((await bucket.info("form")).data.cacheControl, "max-age=9");
});

test("list", async () => {
  const bucket = admin.from(await made());
  for (const key of ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt"]) await bucket.upload(key, text(key));
  const names = async (...args) => (await bucket.list(...args)).data.map((each) => each.name);
  assert.deepEqual(await names(), ["a.txt", "b.txt", "dir"]);
  assert.deepEqual(await names("dir"), ["c.txt", "deep"]);
  assert.deepEqual(await names("", { limit: 1, offset: 1 }), ["b.txt"]);
  assert.deepEqual(await names("", { search: "B" }), ["b.txt"]);
  const page = (await bucket.listV2({ with_delimiter: true, limit: 2 })).data;
  assert.equal(page.hasNext, true);
  const rest = (await bucket.listV2({ with_delimiter: true, limit: 2, cursor: page.nextCursor })).data;
  assert.deepEqual(rest.folders.map((each) => each.name), ["dir/"]);
});

test("copy and move", async () => {
  const bucket = admin.from(await made());
  const other = await made();
  await bucket.upload("a.txt", text("x"));
  assert.ok((await bucket.copy("a.txt", "b.txt")).data.path.endsWith("/b.txt"));
  assert.equal((await bucket.copy("a.txt", "c.txt", { destinationBucket: other })).error, null);
  assert.deepEqual((await bucket.move("b.txt", "d.txt")).data, { message: "Successfully moved" });
  assert.equal((await bucket.move("d.txt", "d.txt", { destinationBucket: other })).error, null);
  assert.deepEqual((await admin.from(other).list()).data.map((each) => each.name), ["c.txt", "d.txt"]);
});

test("signed and public addresses", async () => {
  const name = await made();
  const bucket = admin.from(name);
  await bucket.upload("a b.txt", text("x"));
  const { data } = await bucket.createSignedUrl("a b.txt", 60, { download: "cafe.txt" });
  const answer = await fetch(data.signedUrl);
  assert.equal(await answer.text(), "x");
  assert.match(answer.headers.get("content-disposition"), /cafe\.txt/);
  const many = (await bucket.createSignedUrls(["a b.txt", "none"], 60)).data;
  assert.equal((await fetch(many[0].signedUrl)).status, 200);
  assert.match(many[1].error, /does not exist/);
  const upload = (await bucket.createSignedUploadUrl("up.txt")).data;
  const written = await user.from(name).uploadToSignedUrl(upload.path, upload.token, text("signed"));
  assert.equal(written.error, null);
  assert.ok(written.data.fullPath.endsWith("/up.txt"));
  assert.equal(await (await bucket.download("up.txt")).data.text(), "signed");
  await admin.updateBucket(name, { public: true });
  const { data: open } = user.from(name).getPublicUrl("a b.txt", { download: true });
  assert.equal((await fetch(open.publicUrl)).headers.get("content-disposition"), "attachment;");
});

test("policies speak through the client", async () => {
  const name = await made();
  const { error } = await user.from(name).upload("a.txt", text("x"));
  assert.equal(error.message, "new row violates row-level security policy");
  assert.equal(error.statusCode, "403");
  assert.deepEqual((await user.listBuckets()).data, []);
  assert.deepEqual((await user.from(name).remove(["a.txt"])).data, []);
});
