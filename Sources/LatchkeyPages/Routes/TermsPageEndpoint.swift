import LatchkeyAccounts
import LatchkeyCourier
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The permanent pages with the published texts of documents.
struct TermsPageEndpoint: Sendable {
    /// How long browsers and proxies may show a page without asking again.
    ///
    /// The text never changes, but translations can be added.
    private static let maxAge = 300

    let answers: PageAnswers
    let catalog: TermsCatalog
    let limiter: Limiter
    let database: any Database

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.terms + "/{}/{}",
                below: .server,
                accepts: .none,
                errors: .page,
                operation: .showTermsPage,
                answer: show
            )
        ]
    }

    /// Handles `GET /terms/{key}/{version}`.
    private func show(_ context: RequestContext) async throws -> HTTP.Response {
        try await limiter.require(LimitedEvent.publicReads(from: context.peer), at: context.now, in: database)
        let documents = try await catalog.documents()
        guard context.parameters.count == 2,
            let document = documents.first(where: { $0.key == context.parameters[0] }),
            let number = Int(context.parameters[1]), String(number) == context.parameters[1],
            let version = document.version(number), let text = text(of: version, in: document, for: context),
            let words = try await TermsRepository.text(
                of: document.key,
                version: number,
                language: text.language,
                in: database
            )
        else { throw ServerError.notFound }
        let page = TermsPage(
            document,
            version: version,
            text: text,
            words: String(decoding: words.bytes, as: UTF8.self)
        )
        let language = Language(acceptLanguage: text.language) ?? answers.language(of: context)
        var response = answers.renderer.response(with: page, in: language)
        let tag = EntityTag(of: response.body)
        if tag.isKnown(to: context.request) {
            response.status = 304
            response.body = []
            response.headers["Content-Type"] = nil
        }
        response.headers["Cache-Control"] = "public, max-age=\(Self.maxAge)"
        response.headers["Vary"] = "Accept-Language"
        response.headers["ETag"] = tag.value
        return response
    }

    /// Returns the text in the requested language, or in a preferred one if the request names none.
    private func text(
        of version: TermsVersion,
        in document: TermsDocument,
        for context: RequestContext
    ) -> TermsText? {
        if let language = context.query["lang"] { return version.text(in: language.lowercased()) }
        let ranges = context.request.headers["Accept-Language"].map { LanguageRanges($0) }
        return version.text(accepting: ranges, else: document.defaultLanguage)
    }
}

extension APIOperation {
    fileprivate static let showTermsPage = APIOperation(
        "showTermsPage",
        "Shows a published text of a document, whose address never changes.",
        parameters: [
            .path("key", "The document's key.", .text), .path("version", "The version's number.", .text),
            .query("lang", "The language. Default: the preferred language that is available."),
            .ifNoneMatch,
        ],
        [
            APIResponse(200, "The page.", .text, mediaType: "text/html", headers: [.entityTag]),
            APIResponse(304, "The page hasn't changed.", headers: [.entityTag]),
        ] + [400, 404, 429, 500, 503].map { .page($0, "A page with the error.") }
    )
}
