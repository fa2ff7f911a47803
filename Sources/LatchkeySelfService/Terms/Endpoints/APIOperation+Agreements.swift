import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    static let listAgreements = APIOperation(
        "listAgreements",
        "Lists the documents that apply to the user at the session's client, with the user's answers.",
        details:
            "Texts, titles and summaries are in the preferred language of `Accept-Language` that is available.",
        [APIResponse(200, "The documents, ordered by key."), noSession, forbidden]
    )

    static let answerAgreements = APIOperation(
        "answerAgreements",
        "Stores the user's answers to documents.",
        details: """
            All answers are stored, or none. Each names the text that the user has read. An answer that repeats the \
            latest one isn't stored again. A refusal ends the session.
            """,
        [
            APIResponse(200, "The stored answers, and what the user still has to do."),
            .refusal(400, "An answer names something that wasn't published or asked; `reason` says which."),
            noSession, forbidden,
            .refusal(
                429,
                "The account has been changed too often (`too_many_requests`).",
                headers: [.retryAfter]
            ),
        ]
    )

    static let listClientTerms = APIOperation(
        "listClientTerms",
        "Lists the documents that the users of an OAuth client are asked to answer, with the versions in force.",
        details: """
            The response can be cached for a minute. Texts, titles and summaries are in the preferred language of \
            `Accept-Language` that is available.
            """,
        parameters: [.path("client_id", "The client's id.", .text), .ifNoneMatch],
        [
            APIResponse(
                200,
                "The documents, ordered by key.",
                ClientTermsBody.schema,
                headers: [.entityTag]
            ),
            APIResponse(304, "The documents haven't changed.", headers: [.entityTag]),
            .refusal(404, "The client does not exist."),
            .refusal(
                429,
                "The network has requested public information too often (`too_many_requests`).",
                headers: [.retryAfter]
            ),
        ]
    )

    private static let forbidden = APIResponse.refusal(
        403,
        """
        The session is provisional (`device_certificate_required`), the access token lacks the scope \
        (`insufficient_scope`), or the request was sent by a page of another site (`csrf_violation`).
        """
    )

    private static let noSession = APIResponse.refusal(
        401,
        "There is no valid credential, or the session has ended (`session_inactive`)."
    )
}
