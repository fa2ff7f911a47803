// Hand a login over to another app, and approve the requests of other apps.
#if canImport(LatchkeyLinux)
import Latchkey
import LatchkeyLinux

// snippet.hand-off
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.client = ClientRegistration(id: "shop-app", redirectURIs: ["com.example.shop:/callback"])
let latchkey = try LatchkeyClient(configuration)
let handlers = DesktopSchemeHandlers()
latchkey.appHandOff = {
    guard await handlers.isHandled("com.example.store") else { return nil }
    return AppHandOff(
        to: "com.example.store",
        named: "Example Store",
        returningTo: "com.example.shop:/callback",
        through: handlers
    )
}
// snippet.end

// snippet.approve
let store = try LatchkeyClient(server: "https://id.example.com", app: "com.example.store")
if let url = CommandLine.arguments.dropFirst().last {
    let approval = try await store.authorizationApproval(for: url)
    let name = approval.client.name ?? approval.client.id
    if case .claimedHTTPS(let host) = approval.origin {
        print("\(name) (\(host)) asks to log you in as \(approval.account).")
    } else {
        print("An app that calls itself \(name) asks to log you in as \(approval.account).")
    }
    for scope in approval.scopes { print("- \(scope.text ?? scope.name)") }
    print("Approve? (y/n)")
    let address = try await readLine() == "y" ? approval.approve() : approval.refuse()
    try await handlers.open(address)
}
// snippet.end
#endif
