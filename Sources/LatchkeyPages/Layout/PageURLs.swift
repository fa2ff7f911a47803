/// The URLs of pages and their assets.
package struct PageURLs: Sendable {
    private let base: LinkURL
    private let external: [PageRoute: LinkURL]

    /// Creates the URLs.
    ///
    /// - Parameters:
    ///   - base: The server's public URL without a trailing slash.
    ///   - external: Pages of the operator that replace hosted ones.
    package init(base: String, replacing external: [PageRoute: LinkURL] = [:]) {
        // The configuration only accepts `http` and `https` URLs.
        self.base = LinkURL(base) ?? .root
        self.external = external
    }

    /// Returns the URL of a page.
    package func page(_ route: PageRoute, with parameters: PageParameters = PageParameters()) -> LinkURL {
        guard let page = external[route] else {
            return LinkURL(base: base, path: route.path, query: parameters.query)
        }
        return parameters.query.reduce(page) { url, item in
            item.value.map { url.adding(item.name, value: $0) } ?? url
        }
    }

    func asset(_ asset: PageAsset) -> LinkURL {
        LinkURL(base: base, path: asset.path, query: [])
    }
}
