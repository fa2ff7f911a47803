package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeySelfService
package import LatchkeyServerKit

/// The admin API for identities, sessions, addresses, recovery codes, OAuth clients, messages and the audit
/// log.
package struct AdminModule: ServerModule {
    package let operatorRoutes: [Endpoint]

    package init(
        _ environment: ServerEnvironment,
        accounts: AccountsModule,
        selfService: SelfServiceModule,
        methods: SignInMethods,
        language: Language
    ) {
        let (database, random) = (environment.database, environment.random)
        let administration = IdentityAdministration(
            identities: accounts.identities,
            erasure: accounts.erasure,
            drafts: DraftValidator(
                breaches: accounts.breaches,
                passwordSettings: accounts.passwordSettings,
                schemas: accounts.schemas,
                methods: methods,
                hasher: accounts.hasher
            ),
            passwordLimits: accounts.passwordLimits,
            random: random,
            audit: accounts.audit,
            data: accounts.data,
            database: database
        )
        var routes = IdentityEndpoints(
            administration: administration,
            directory: IdentityDirectory(database: database, schemas: accounts.schemas),
            writer: accounts.writer
        ).endpoints
        routes +=
            SessionAdminEndpoints(
                sessions: accounts.sessions,
                directory: accounts.directory,
                administration: SessionAdministration(
                    revoker: accounts.revoker,
                    data: accounts.data,
                    sessionSettings: accounts.sessionSettings,
                    database: database,
                    random: random
                ),
                writer: accounts.writer
            ).endpoints
        routes += AddressEndpoints(administration: administration).endpoints
        routes +=
            RecoveryCodes(
                identities: accounts.identities,
                language: language,
                keys: selfService.codeKeys,
                flows: selfService.flows,
                lifecycle: selfService.lifecycle,
                settings: selfService.settings.recovery,
                codeSettings: selfService.settings.codes,
                urls: environment.urls,
                random: random,
                audit: accounts.audit,
                database: database
            ).endpoints
        routes +=
            ClientEndpoints(
                administration: ClientAdministration(
                    registry: accounts.clients,
                    rules: accounts.clientRules,
                    hasher: accounts.hasher,
                    data: accounts.data,
                    random: random,
                    audit: accounts.audit,
                    database: database
                ),
                database: database
            ).endpoints
        routes += MessageEndpoints(directory: MessageDirectory(database: database)).endpoints
        routes += AuditEndpoints(database: database).endpoints
        operatorRoutes = routes.map(\.refusingUnknownParameters)
    }
}
