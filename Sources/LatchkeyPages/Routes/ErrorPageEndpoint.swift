import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

/// The page that shows an error by its id.
struct ErrorPageEndpoint: Sendable {
    let answers: PageAnswers

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                PageRoute.error.path,
                below: .server,
                accepts: .none,
                errors: .page,
                operation: .page(
                    .error,
                    "Shows an error.",
                    parameters: [
                        .query("id", "The error's id, with which a browser was redirected."),
                        .query("kind", "The kind of flow in which the error has happened."),
                        .query("flow", "The id of the flow."),
                        .query("login_challenge", "The authorization request of a flow that wasn't started."),
                    ]
                )
            ) { context in
                let id = context.query["id"] ?? ""
                guard let shown = answers.hosted.error(id, at: context.now) else {
                    throw ServerError.notFound
                }
                return await answers.page(for: shown.error, wait: shown.wait, in: context)
            }
        ]
    }
}
