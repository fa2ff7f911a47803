import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The addresses to which browsers are redirected.
struct BrowserPages: Sendable {
    private let settings: UISettings
    private let urls: ServerURLs
    /// The URL to send users to after flows without a return URL.
    let home: String

    init(_ settings: UISettings, urls: ServerURLs, home: String?) {
        self.settings = settings
        self.urls = urls
        self.home = home ?? urls.base + "/welcome"
    }

    /// Returns the page that shows a flow, in one of the given languages if there are any.
    func page(of kind: FlowKind, flow: Identifier, in languages: String? = nil) -> String {
        let locales = languages.map { "&ui_locales=" + QueryItems.encode($0) } ?? ""
        return page(of: kind) + "?flow=\(flow)" + locales
    }

    private func page(of kind: FlowKind) -> String {
        let own: String? =
            switch kind {
            case .login: settings.login
            case .registration: settings.registration
            case .settings: settings.settings
            case .recovery: settings.recovery
            case .verification: settings.verification
            }
        return own ?? "\(urls.base)/\(kind.rawValue)"
    }

    /// Returns the page that shows an error, and leads back to the flow in which the error has happened.
    ///
    /// The page must check whether the flow, or the authorization request of a flow that couldn't be started, belongs
    /// to the browser.
    func error(_ id: Identifier, in exchange: FlowExchange? = nil) -> String {
        let page = (settings.error ?? urls.base + "/error") + "?id=\(id)"
        guard let exchange, let (name, value) = exchange.origin else { return page }
        return page + "&kind=\(exchange.kind.rawValue)&\(name)=\(value)"
    }

    /// Returns the address that starts a login for a browser.
    func login(refresh: Bool = false, returnTo: String? = nil) -> String {
        let items =
            (refresh ? ["refresh=true"] : [])
            + (returnTo.map { ["return_to=" + QueryItems.encode($0)] } ?? [])
        let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        return urls.selfService + FlowKind.login.startPath(for: .browser) + query
    }

    /// Returns the address of a flow below the self-service API, which leads to the flow's page.
    func action(of kind: FlowKind, flow: Identifier) -> String {
        urls.selfService + kind.path + "?flow=\(flow)"
    }
}

extension FlowExchange {
    /// The parameter with the id of the flow, or of the authorization request of a flow that is started.
    fileprivate var origin: (name: String, value: Identifier)? {
        if let flow { return ("flow", flow.pageID) }
        // If the flow couldn't be read, it is only known by the address.
        let name = step == .start ? "login_challenge" : "flow"
        return request.query[name].flatMap { Identifier($0) }.map { (name, $0) }
    }
}
