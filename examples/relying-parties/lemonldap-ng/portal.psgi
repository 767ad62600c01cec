# The portal and its static files in one process, for the test. Debian's package has settings for Apache and nginx.
use Lemonldap::NG::Portal::Main;
use Plack::App::File;
use Plack::Builder;

builder {
    mount '/static' => Plack::App::File->new( root => '/usr/share/lemonldap-ng/portal/htdocs/static' )->to_app;
    # Of other packages of Debian: jQuery and Bootstrap.
    mount '/javascript' => Plack::App::File->new( root => '/usr/share/javascript' )->to_app;
    mount '/' => Lemonldap::NG::Portal::Main->run( {} );
};
