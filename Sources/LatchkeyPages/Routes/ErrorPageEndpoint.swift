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
                    parameters: [.query("id", "The error's id, with which a browser was redirected.")]
                )
            ) { context in
                let error = context.query["id"].flatMap(answers.hosted.error) ?? ServerError.notFound
                return answers.page(for: error, in: context)
            }
        ]
    }
}
