// Resumable uploads by tus-js-client and by Uppy as they come from the registry, as their users set them up for Supabase.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../supabase-compat/package.json", import.meta.url));
const tus = await import(require.resolve("tus-js-client"));
const url = `${process.env.GATEWAY_URL}/storage/v1`;
const endpoint = `${url}/upload/resumable`;
const secret = process.env.SECRET_KEY;
const headers = { apikey: secret, authorization: `Bearer ${secret}` };
const chunkSize = 6 * 1024 * 1024;
let count = 0;

async function made(options = {}) {
  const name = `tus-${process.pid}-${count++}`;
  const answer = await fetch(`${url}/bucket`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name, ...options }),
  });
  assert.equal(answer.status, 200);
  return name;
}

const metadata = (bucketName, objectName) => ({
  bucketName,
  objectName,
  contentType: "image/png",
  cacheControl: "3600",
  metadata: JSON.stringify({ from: "tus" }),
});

async function stored(bucket, name, content) {
  const answer = await fetch(`${url}/object/${bucket}/${name}`, { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.equal(answer.headers.get("cache-control"), "max-age=3600");
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(content));
  const info = await (await fetch(`${url}/object/info/${bucket}/${name}`, { headers })).json();
  assert.deepEqual(info.metadata, { from: "tus" });
}

/** Upload with tus-js-client; `watch` is given the upload when it begins. */
function upload(content, options, watch = () => {}) {
  return new Promise((resolve, reject) => {
    const one = new tus.Upload(content, {
      endpoint,
      headers,
      chunkSize,
      retryDelays: [0, 100, 500, 1000],
      uploadDataDuringCreation: true,
      removeFingerprintOnSuccess: true,
      ...options,
      onError: reject,
      onSuccess: () => resolve(one),
    });
    watch(one, reject);
    one.start();
  });
}

test("an upload in chunks of 6 MB", async () => {
  const bucket = await made();
  const content = randomBytes(chunkSize * 2 + 12_345);
  const seen = [];
  await upload(content, {
    metadata: metadata(bucket, "dir/a.png"),
    onChunkComplete: (size, accepted, total) => seen.push([accepted, total]),
  });
  assert.deepEqual(seen.at(-1), [content.length, content.length]);
  assert.equal(seen.length, 3);
  await stored(bucket, "dir/a.png", content);
});

test("an upload without bytes in its creation, of nothing, and of a length told late", async () => {
  const bucket = await made();
  await upload(Buffer.from("small"), { metadata: metadata(bucket, "small"), uploadDataDuringCreation: false });
  await stored(bucket, "small", Buffer.from("small"));
  await upload(Buffer.alloc(0), { metadata: metadata(bucket, "empty") });
  await stored(bucket, "empty", Buffer.alloc(0));
  const { Readable } = await import("node:stream");
  const content = randomBytes(100_000);
  await upload(Readable.from([content]), {
    metadata: metadata(bucket, "late"),
    uploadLengthDeferred: true,
    chunkSize: 30_000,
  });
  await stored(bucket, "late", content);
});

test("an upload that was broken off goes on where it was", async () => {
  const bucket = await made();
  const content = randomBytes(3_000_000);
  const options = { metadata: metadata(bucket, "broken"), chunkSize: 1_000_000 };
  const first = await new Promise((resolve, reject) => {
    const one = new tus.Upload(content, {
      endpoint,
      headers,
      ...options,
      onError: reject,
      onChunkComplete: () => one.abort().then(() => resolve(one), reject),
    });
    one.start();
  });
  const sent = [];
  await upload(content, { ...options, uploadUrl: first.url, onChunkComplete: (size, accepted) => sent.push(accepted) });
  assert.ok(sent[0] > 1_000_000, "the first chunk is not sent again");
  await stored(bucket, "broken", content);
});

test("an upload that is ended is gone", async () => {
  const bucket = await made();
  const ended = await new Promise((resolve, reject) => {
    const one = new tus.Upload(randomBytes(2_000_000), {
      endpoint,
      headers,
      metadata: metadata(bucket, "ended"),
      chunkSize: 1_000_000,
      onError: reject,
      onChunkComplete: () => one.abort(true).then(() => resolve(one.url), reject),
    });
    one.start();
  });
  const answer = await fetch(ended, { method: "HEAD", headers: { ...headers, "tus-resumable": "1.0.0" } });
  assert.ok([404, 410].includes(answer.status));
});

test("a refusal is told with status and words", async () => {
  const bucket = await made({ file_size_limit: 1000 });
  const refused = (options) =>
    assert.rejects(upload(randomBytes(2000), { retryDelays: null, ...options }), (error) => {
      assert.ok(error.originalResponse, String(error));
      refused.last = [error.originalResponse.getStatus(), error.originalResponse.getBody().trim()];
      return true;
    });
  await refused({ metadata: metadata(bucket, "large") });
  assert.deepEqual(refused.last, [413, "Maximum size exceeded"]);
  await refused({ metadata: metadata("no-such-bucket", "a") });
  assert.deepEqual(refused.last, [404, "Bucket not found"]);
  const open = await made();
  await upload(Buffer.from("x"), { metadata: metadata(open, "there") });
  await refused({ metadata: metadata(open, "there") });
  assert.deepEqual(refused.last, [409, "The resource already exists"]);
  await upload(Buffer.from("y"), { metadata: metadata(open, "there"), headers: { ...headers, "x-upsert": "true" } });
  await stored(open, "there", Buffer.from("y"));
  await refused({ metadata: metadata(open, "other"), headers: { authorization: `Bearer ${process.env.PUBLISHABLE_KEY}` } });
  assert.deepEqual(refused.last, [403, "new row violates row-level security policy"]);
});

test("an upload by a signature", async () => {
  const bucket = await made();
  const answer = await fetch(`${url}/object/upload/sign/${bucket}/signed`, { method: "POST", headers });
  const { token } = await answer.json();
  const content = randomBytes(50_000);
  await upload(content, {
    endpoint: `${endpoint}/sign`,
    headers: { "x-signature": token },
    metadata: metadata(bucket, "signed"),
  });
  await stored(bucket, "signed", content);
});

test("Uppy uploads several files at once", async () => {
  const { Uppy } = await import(require.resolve("@uppy/core"));
  const { default: Tus } = await import(require.resolve("@uppy/tus"));
  const bucket = await made();
  const contents = Object.fromEntries([1, 2, 3].map((each) => [`file ${each}.png`, randomBytes(each * 700_000)]));
  const uppy = new Uppy({ autoProceed: false }).use(Tus, {
    endpoint,
    headers,
    chunkSize: 1_000_000,
    allowedMetaFields: ["bucketName", "objectName", "contentType", "cacheControl", "metadata"],
  });
  uppy.on("file-added", (file) => uppy.setFileMeta(file.id, metadata(bucket, `uppy/${file.name}`)));
  for (const [name, content] of Object.entries(contents))
    uppy.addFile({ name, type: "image/png", data: Object.assign(content, { size: content.length }) }); // as Node has files
  const result = await uppy.upload();
  assert.deepEqual(result.failed, []);
  assert.equal(result.successful.length, 3);
  assert.ok(result.successful.every((each) => each.uploadURL.startsWith(`${endpoint}/`)));
  for (const [name, content] of Object.entries(contents)) await stored(bucket, encodeURI(`uppy/${name}`), content);
});
