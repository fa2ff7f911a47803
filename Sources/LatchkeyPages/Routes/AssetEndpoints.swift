import LatchkeyServerKit
import LatchkeyWire

/// The static files of pages.
struct AssetEndpoints: Sendable {
    var endpoints: [Endpoint] {
        PageAsset.all.map { asset in
            Endpoint(
                .get,
                asset.path,
                below: .server,
                accepts: .none,
                errors: .page,
                operation: asset.operation
            ) { _ in
                asset.response
            }
        }
    }
}

extension PageAsset {
    fileprivate var operation: APIOperation {
        APIOperation(
            "get" + name.prefix(1).uppercased() + name.dropFirst() + "Asset",
            "Returns a static file of the pages.",
            [APIResponse(200, "The file, which never changes.", .text, mediaType: mediaType)]
        )
    }
}
