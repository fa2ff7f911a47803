import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

/// A page in one of its states.
struct PageSample: CustomStringConvertible, Sendable {
    let description: String
    let page: any HTMLPage

    init(_ description: String, page: any HTMLPage) {
        self.description = description
        self.page = page
    }

    func response(
        in language: Language = .english,
        texts: FormTranslations = .builtIn,
        service: String? = "Shop",
        showsLogos: Bool = true
    ) throws -> HTTP.Response {
        let urls = PageURLs(base: "https://id.example.com")
        let renderer = PageRenderer(texts: texts, urls: urls, service: service, showsLogos: showsLogos)
        return renderer.response(with: page, in: language)
    }

    func tree(in language: Language = .english) throws -> HTMLTree {
        try HTMLTree.parse(response(in: language).body)
    }
}

extension FlowPage {
    /// Creates the page of a flow with the nodes that the flow's methods show.
    static func sample(
        _ kind: FlowKind,
        state: FlowState? = nil,
        schema: String = "person",
        refresh: Bool = false,
        active: String? = nil,
        address: String? = nil,
        traits: String? = nil,
        form: Form = Form(),
        returnTo: String? = nil,
        settings: FormSettings = FormSettings()
    ) throws -> FlowPage {
        var flow = Flow(
            id: Identifier(),
            kind: kind,
            parameters: FlowParameters(
                type: .browser,
                schemaID: schema,
                requestURL: "",
                returnTo: returnTo,
                refresh: refresh
            ),
            issuedAt: Timestamp(seconds: 0),
            lifespan: .seconds(600)
        )
        flow.state = state ?? kind.initialState
        flow.active = active ?? (state == .sentEmail ? "code" : flow.active)
        flow.address = address
        flow.traits = traits.map { Array($0.utf8) }
        let schema = try SchemaCatalog(standard: schema).standard
        let context = FormContext(flow, schema: schema, form: form)
        let nodes = MethodForms(settings).nodes(in: context)
        return FlowPage(flow, ui: .sample(nodes, messages: form.messages, of: flow))
    }
}

extension FlowBody.UI {
    /// Creates the form of a flow from its nodes, with a CSRF token.
    static func sample(_ nodes: [UINode], messages: [UIMessage] = [], of flow: Flow) -> FlowBody.UI {
        var nodes = nodes
        for index in nodes.indices {
            guard case .input(var input) = nodes[index].attributes, input.name == "csrf_token" else {
                continue
            }
            input.value = .string("token")
            nodes[index].attributes = .input(input)
        }
        return FlowBody.UI(
            action: "https://id.example.com/a\(flow.kind.path)?flow=\(flow.id)",
            nodes: nodes,
            messages: messages.isEmpty ? nil : messages
        )
    }
}

extension Form {
    /// A form with an error about a field.
    static func refusing(_ field: String, value: String? = nil, message: UIMessage) -> Form {
        var form = Form()
        if let value { form.values[field] = .string(value) }
        form.refuse(field, with: message)
        return form
    }
}

extension PageClient {
    static let shop = PageClient(
        id: "shop",
        name: "The Shop",
        clientURI: "https://shop.example.com",
        logoURI: "https://shop.example.com/logo.png",
        policyURI: "https://shop.example.com/privacy",
        termsURI: "https://shop.example.com/terms"
    )
}

extension ErrorPage.Request {
    static let shop = ErrorPage.Request(client: .shop, cancel: .sample)
}

extension PageForm {
    static let sample = PageForm(action: .root, csrfToken: "token")
}
