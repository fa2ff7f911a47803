import LatchkeyModel
import LatchkeyServerKit

extension FlowLifecycle {
    /// Returns the flow of a mailed link, if the browser has opened the link on the page of a flow.
    func linked(_ flow: Flow, in context: RequestContext) async throws -> Flow {
        guard let link = context.browser?.links.first(where: { $0.page == flow.id }), flow.type == .browser,
            flow.kind.hasMailedLinks
        else { return flow }
        if link.flow == flow.id { return flow.opened(by: link) }
        return try await flows.find(link.flow, kind: flow.kind)?.opened(by: link) ?? flow
    }

    /// Opens the mailed link to a flow in a browser.
    ///
    /// No row is stored. If the flow belongs to the browser, the browser continues with the flow's own page.
    ///
    /// - Parameters:
    ///   - kind: The kind of flow.
    ///   - code: The code in the link, which isn't checked.
    ///   - context: The request, whose query contains the id of the flow.
    /// - Returns: The flow as the browser uses it.
    /// - Throws: A ``ServerError`` with status 400 or 404 if the link doesn't name a flow. Also throws
    ///   ``DatabaseError``.
    func open(_ kind: FlowKind, withCode code: OneTimeCode, in context: RequestContext) async throws -> Flow {
        let flow = try await anyFlow(kind, of: context)
        guard let browser = context.browser, links.isAuthentic(context.query, flow: flow.id, code: code)
        else { throw ServerError.notFound }
        if flow.type == .browser, isOwn(flow, of: context) {
            return flow.opened(by: BrowserLink(page: flow.id, flow: flow.id, code: code))
        }
        let page = flows.begin(
            kind,
            type: .browser,
            boundTo: browser.current,
            at: context.now,
            random: random
        )
        return flow.opened(by: BrowserLink(page: page.id, flow: flow.id, code: code))
    }
}
