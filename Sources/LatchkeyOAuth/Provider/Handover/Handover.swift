package import LatchkeyAccounts
package import LatchkeyModel

/// The session of an app that can be continued in a browser, once.
package struct Handover: Sendable {
    /// The code that the browser has presented.
    let code: HandoverCode
    package let identity: Identifier
    /// The session of the app.
    let session: Identifier
    /// The client that the session of the app was opened for.
    package let source: OAuthClient
    /// The client that the browser is sent to.
    package let target: OAuthClient
    /// The registered redirect URI of the target that the app has chosen.
    package let redirectURI: String
    /// The network that the app has asked from.
    let network: [UInt8]
}
