package import LatchkeyModel

/// The resources that all modules of a server share.
package struct ServerEnvironment: Sendable {
    /// The URLs at which clients reach the server.
    package let urls: ServerURLs
    /// The cookies that browsers send.
    package let cookies: BrowserCookies
    /// The origins whose pages may submit forms.
    package let origins: TrustedOrigins
    package let database: any Database
    /// The secrets from which all symmetric keys are derived.
    package let secrets: ServerSecrets
    package let time: any TimeSource
    package let random: any RandomSource

    package init(
        urls: ServerURLs,
        cookies: BrowserCookies? = nil,
        origins: TrustedOrigins? = nil,
        database: any Database,
        secrets: ServerSecrets,
        time: any TimeSource,
        random: any RandomSource
    ) {
        self.urls = urls
        self.cookies = cookies ?? BrowserCookies(url: urls.base)
        self.origins = origins ?? TrustedOrigins([urls.base])
        self.database = database
        self.secrets = secrets
        self.time = time
        self.random = random
    }
}
