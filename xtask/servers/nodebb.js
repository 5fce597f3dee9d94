// Fills a NodeBB forum through its own modules; runs in the forum's folder. Prints one line of
// JSON: the posts made, and when they could be read.
// FILL=first makes boards, threads and posts; FILL=more adds to them; FILL=edit changes and removes.
'use strict';
var path = require('path');
var site = process.cwd();
var load = function (name) { return require(path.join(site, name)); };
var nconf = load('node_modules/nconf');
var async = load('node_modules/async');
nconf.file({ file: path.join(site, 'config.json') });
nconf.defaults({
  base_dir: site, themes_path: path.join(site, 'node_modules'), views_dir: path.join(site, 'public/templates'),
  version: '1.4.0', upload_url: '/uploads/', upload_path: 'public/uploads', relative_path: '',
});
var words = 'queue parse shard héllo 日本語 token index latency cursor retry budget ledger harbour'.split(' ');
var state = 7;
function random(limit) { state = (state * 1103515245 + 12345) & 0x7fffffff; return (state >> 8) % limit; }
function say() { var all = []; for (var i = 6 + random(20); i > 0; i -= 1) { all.push(words[random(words.length)]); } return all.join(' '); }
var made = [];
var db = load('src/database');
db.init(function (error) {
  if (error) { throw error; }
  var User = load('src/user');
  var Topics = load('src/topics');
  var Posts = load('src/posts');
  var Categories = load('src/categories');
  var meta = load('src/meta');
  function note(post) { made.push({ id: String(post.pid), text: post.content, topic: Number(post.tid) }); }
  function begin(uid, cid, title, text, at, done) {
    Topics.post({ uid: uid, cid: cid, title: title, content: text, timestamp: at, tags: [] }, function (error, made) {
      if (error) { return done(error); }
      note(made.postData);
      done(null, made.topicData.tid);
    });
  }
  function reply(uid, tid, text, at, done) {
    Topics.reply({ uid: uid, tid: tid, content: text, timestamp: at }, function (error, post) {
      if (!error) { note(post); }
      done(error);
    });
  }
  var fill = {
    first: function (done) {
      var uids = []; var cids = []; var start = Date.now() - 60 * 86400000;
      // Plugins that ask the Internet when the forum starts.
      var foreign = ['nodebb-plugin-emoji-one', 'nodebb-plugin-emoji-extended', 'nodebb-plugin-spam-be-gone'];
      async.series([
        // On a busy machine the forum would turn visitors away.
        function (next) { meta.configs.set('eventLoopCheckEnabled', 0, next); },
        function (next) { async.eachSeries(foreign, function (name, step) { db.sortedSetRemove('plugins:active', name, step); }, next); },
        function (next) { async.timesSeries(12, function (i, step) { User.create({ username: 'member' + i, email: 'm' + i + '@example.com', password: 'passw0rd' }, function (error, uid) { uids.push(uid); step(error); }); }, next); },
        function (next) { async.eachSeries(['Tea', 'Boats', 'Stars', 'Maps', 'Bread'], function (name, step) { Categories.create({ name: 'Board ' + name, description: 'about ' + name, order: 10 + cids.length }, function (error, made) { cids.push(made.cid); step(error); }); }, next); },
        function (next) {
          async.timesSeries(40, function (number, step) {
            var at = start + number * 30 * 3600000;
            begin(uids[number % 12], cids[number < 25 ? 0 : number % 5], 'Thread ' + number + ' ' + say().slice(0, 30), say() + ' ' + number, at, function (error, tid) {
              if (error) { return step(error); }
              async.timesSeries(number === 5 ? 64 : number === 30 ? 44 : number % 10, function (turn, one) {
                reply(uids[(number + turn) % 12], tid, say() + ' ' + number + ' ' + turn, at + (turn + 1) * 780000, one);
              }, step);
            });
          }, next);
        },
        // The forum greets its first visitor with a thread of its own.
        function (next) { Posts.getPostFields(1, ['pid', 'tid', 'content'], function (error, post) { if (post && post.pid) { note(post); } next(error); }); },
      ], done);
    },
    more: function (done) {
      var now = Date.now();
      async.series([
        function (next) { reply(2, Number(process.env.TOPIC), 'one more ' + now, now, next); },
        function (next) { reply(3, Number(process.env.LONG_TOPIC), 'one more of many ' + now, now, next); },
        function (next) { begin(4, 6, 'Thread of ' + now, 'a new thread ' + now, now, next); },
      ], done);
    },
    edit: function (done) {
      var pid = Number(process.env.EDITED); var gone = Number(process.env.DELETED); var now = Date.now();
      async.series([
        function (next) { Posts.setPostField(pid, 'content', 'second thoughts', next); },
        function (next) { Posts.getPostFields(gone, ['tid', 'uid'], function (error, post) { if (error) { return next(error); } Posts.purge(gone, 1, next); }); },
        function (next) { reply(5, Number(process.env.TOPIC), 'the last word ' + now, now, next); },
      ], done);
    },
  };
  meta.configs.init(function () {
    Object.assign(meta.config, { initialPostDelay: 0, postDelay: 0, newbiePostDelay: 0, minimumTitleLength: 3, minimumPostLength: 3 });
    fill[process.env.FILL](function (error) {
      if (error) { console.error(error.stack || error.message); }
      console.log('MADE ' + JSON.stringify({ posts: made, at: Date.now() / 1000 }));
      process.exit(error ? 1 : 0);
    });
  });
});
