// Log in with a browser that opens the app with a URL of the app's own scheme.
#if canImport(LatchkeyLinux)
import Latchkey
import LatchkeyLinux

// snippet.register
let scheme = "com.example.id.shop-app"
let redirectURI = scheme + ":/callback"
var configuration = LatchkeyConfiguration(server: "https://id.example.com", app: "com.example.shop")
configuration.client = ClientRegistration(id: "shop-app", redirectURIs: [redirectURI])
let latchkey = try LatchkeyClient(configuration)
try await DesktopSchemeHandlers().register(scheme, name: "Shop")  // has no effect if it is registered
// snippet.end

// snippet.handle
// The desktop starts the app with the redirect as its last argument.
if let url = CommandLine.arguments.dropFirst().last {
    try await latchkey.completeSignIn(with: url)  // an app that runs on uses handle(_:) instead
}
// snippet.end

// snippet.sign-in
let browser = PrivateUseSchemeBrowser(redirectURI: redirectURI) { page throws(LatchkeyError) in
    try await DesktopBrowser().open(page)
}
if latchkey.sessionState.session == nil {
    try await latchkey.signIn(in: browser)  // also returns if another process handles the redirect
}
// snippet.end

// snippet.provider
configuration.slot = .named("other")
configuration.apiOrigins = ["https://api.example.com"]  // the provider's access tokens are sent only there
configuration.client = ClientRegistration(
    id: "shop-app",
    redirectURIs: [redirectURI],
    issuer: "https://accounts.example.org"  // exactly as the provider spells it
)
let other = try LatchkeyClient(configuration)
let options = AuthorizationOptions(scopes: ["profile", "email", "offline_access"])
let session = try await other.signIn(in: browser, options: options)
// snippet.end

print(session.identity.id)
#endif
