import LatchkeyWire

/// The URLs of pages and their assets.
package struct PageURLs: Sendable {
    private let base: LinkURL
    private let basePath: String
    private let external: [PageRoute: LinkURL]

    /// Creates the URLs.
    ///
    /// - Parameters:
    ///   - base: The server's public URL without a trailing slash.
    ///   - basePath: The base path of the API.
    ///   - external: Pages of the operator that replace hosted ones.
    package init(base: String, basePath: String = "/a", replacing external: [PageRoute: LinkURL] = [:]) {
        // The configuration only accepts `http` and `https` URLs.
        self.base = LinkURL(base) ?? .root
        self.basePath = basePath
        self.external = external
    }

    /// Returns the URL of a page.
    package func page(_ route: PageRoute, with parameters: PageParameters = PageParameters()) -> LinkURL {
        guard let page = external[route] else {
            return LinkURL(base: base, path: path(of: route), query: parameters.query)
        }
        return parameters.query.reduce(page) { url, item in
            item.value.map { url.adding(item.name, value: $0) } ?? url
        }
    }

    /// Returns the URL of a path and query of this server that contain only characters of URLs.
    func own(_ path: String) -> LinkURL { LinkURL(base: base, path: path, query: []) }

    /// Returns the URL of a request to this server, or `nil` if a page can't contain it.
    func own(_ request: HTTP.Request) -> LinkURL? {
        LinkURL(base.text + request.path + (request.query.map { "?" + $0 } ?? ""))
    }

    /// Returns the path of a page, relative to the server's URL.
    package func path(of route: PageRoute) -> String { route.path(besides: basePath) }

    func asset(_ asset: PageAsset) -> LinkURL {
        LinkURL(base: base, path: asset.path, query: [])
    }
}
