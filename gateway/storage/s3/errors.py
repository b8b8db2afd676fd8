"""What the S3 protocol refuses beside the errors of the storage API; all are sent with their real status."""

from __future__ import annotations

from typing import Final

from gateway.storage.errors import Row

NO_SIGNATURE: Final = Row("AccessDenied", 403, "Unauthorized", "Missing signature", 403)
NO_ACCESS_KEY: Final = Row("AccessDenied", 403, "Unauthorized", "Invalid Access Key", 403)
WRONG_REGION: Final = Row("AccessDenied", 403, "Unauthorized", "Invalid Region", 403)
WRONG_SERVICE: Final = Row("AccessDenied", 403, "Unauthorized", "Invalid Service", 403)
NOT_SIGNED: Final = Row(
    "AccessDenied", 403, "Unauthorized", "There were headers present in the request which were not signed: {names}", 403
)
MISMATCH: Final = Row(
    "SignatureDoesNotMatch", 403, "Unauthorized",
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    403,
)  # fmt: skip
INVALID_SIGNATURE: Final = Row("InvalidSignature", 400, "InvalidSignature", "{reason}", 400)
EXPIRED: Final = Row("ExpiredToken", 400, "ExpiredToken", "The request has expired", 400)
SKEWED: Final = Row(
    "RequestTimeTooSkewed", 403, "Unauthorized",
    "The difference between the request time and the current time is too large", 403,
)  # fmt: skip
BAD_DIGEST: Final = Row("BadDigest", 400, "BadDigest", "The {what} you specified did not match what we received.", 400)
INVALID_DIGEST: Final = Row("InvalidDigest", 400, "InvalidDigest", "The {what} you specified is not valid.", 400)
WRONG_SHA256: Final = Row(
    "XAmzContentSHA256Mismatch", 400, "InvalidRequest",
    "The provided 'x-amz-content-sha256' header does not match what was computed.", 400,
)  # fmt: skip
INCOMPLETE: Final = Row(
    "IncompleteBody", 400, "InvalidRequest",
    "You did not provide the number of bytes specified by the Content-Length HTTP header", 400,
)  # fmt: skip
NO_LENGTH: Final = Row(
    "MissingContentLength", 400, "InvalidRequest", "You must provide the Content-Length HTTP header.", 400
)
MALFORMED_XML: Final = Row(
    "MalformedXML", 400, "InvalidRequest",
    "The XML you provided was not well-formed or did not validate against our published schema", 400,
)  # fmt: skip
INVALID_ARGUMENT: Final = Row("InvalidArgument", 400, "InvalidRequest", "{reason}", 400)
PRECONDITION: Final = Row(
    "PreconditionFailed", 412, "PreconditionFailed",
    "At least one of the pre-conditions you specified did not hold", 412,
)  # fmt: skip
WRONG_PART: Final = Row("InvalidChecksum", 400, "InvalidRequest", "The ETag of part {number} is another", 400)
NO_PART: Final = Row("MissingPart", 400, "InvalidRequest", "Part {number} is missing", 400)
PART_ORDER: Final = Row("InvalidPartOrder", 400, "InvalidRequest", "The list of parts was not in ascending order", 400)
POLICY: Final = Row("AccessDenied", 403, "Unauthorized", "Invalid according to Policy: {reason}", 403)
NO_OPERATION: Final = Row("InvalidRequest", 404, "Not Found", "This operation is not served", 404)
