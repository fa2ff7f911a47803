import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    private static let publication = JSONSchema.object([
        .optional("dry_run", .boolean),
        .required(
            "documents",
            .array(
                .object([
                    .required("key", .matching("^[a-z0-9-]{1,64}$")),
                    .required("kind", .oneOf(TermsDocument.Kind.allCases)),
                    .optional("client_id", JSONSchema.text.orNull),
                    .required("default_language", .text), .required("titles", .anyObject),
                    .required("versions", .array(publishedVersion)),
                ])
            )
        ),
    ])

    private static let publishedVersion = JSONSchema.object([
        .required("number", .integer(minimum: 1, maximum: Int64(TermsVersion.greatestNumber))),
        .required("asks", .oneOf(TermsVersion.Request.allCases)),
        .optional("effective_at", JSONSchema.time.orNull),
        .required(
            "texts",
            .array(
                .object([
                    .required("language", .text), .required("text", .text), .optional("summary", .text),
                ])
            )
        ),
    ])

    static let publishTerms = APIOperation(
        "publishTerms",
        "Publishes documents, versions and texts that aren't published yet.",
        details: """
            Everything is published, or nothing. What is published never changes, so the same publication can \
            be repeated. With `dry_run`, the changes are only returned. `accounts` is an estimate.
            """,
        body: APIBody(schema: publication),
        [
            APIResponse(200, "The changes."),
            .refusal(400, "The publication has mistakes, all of which `reason` lists with their places."),
            .refusal(409, "`terms_immutable`: the publication contradicts what is already published."),
        ]
    )

    static let listTerms = APIOperation(
        "listTerms",
        "Lists the published documents with their versions, ordered by key.",
        [APIResponse(200, "The documents.", .array(PublishedDocumentBody.schema))]
    )

    static let getTermsText = APIOperation(
        "getTermsText",
        "Returns the text of a version in one language.",
        parameters: [
            .path("key", "The document's key.", .text),
            .path("number", "The version's number.", .integer),
            .query("language", "The language. Default: the document's default language."),
        ],
        [
            APIResponse(200, "The text."),
            .refusal(404, "The document, version or language is not published."),
        ]
    )
}
