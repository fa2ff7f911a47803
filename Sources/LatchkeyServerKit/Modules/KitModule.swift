/// The routes that describe the server itself, and the tables that all modules use.
package struct KitModule: ServerModule {
    package static var migrations: [Migration] { .kit }

    package let routes: [Endpoint]
    package let operatorRoutes: [Endpoint]

    package init(_ environment: ServerEnvironment) {
        let health = HealthEndpoints(database: environment.database, time: environment.time)
        let version = VersionEndpoint().endpoint
        routes = [version] + health.endpoints
        operatorRoutes = [version.refusingUnknownParameters] + health.endpoints
    }
}
